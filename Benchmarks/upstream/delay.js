// Answers later, without holding up anything else: the timer runs in nginx's event loop.
function after(milliseconds) {
    return (request) => setTimeout(() => request.internalRedirect('/delayed' + request.variables.request_uri), milliseconds);
}

export default { wait5: after(5), wait20: after(20), wait50: after(50) };
