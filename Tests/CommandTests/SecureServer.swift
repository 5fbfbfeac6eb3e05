import Foundation
import HTTPServer
import Platform
import ScriptedServer

/// An nginx on loopback that speaks TLS for a plain server behind it, with certificates of an authority of its own.
final class SecureServer: Sendable {
    private static let program = "/usr/sbin/nginx"
    static var isInstalled: Bool {
        [program, "/usr/bin/openssl"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    let port: UInt16
    private let process: Int32

    /// - Parameters:
    ///   - place: The folder that gets `ca.pem`, and `client.pem` with `client.key`, which is encrypted with
    ///     `pa55-Word`.
    ///   - needsClientCertificate: True if clients must show one of the authority's certificates.
    init(in place: Workplace, needsClientCertificate: Bool = false) async throws {
        let folder = place.path("nginx")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let curve = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -days 2"
        let made = try await place.shell(
            """
            set -e; exec >/dev/null 2>&1
            cd '\(folder)'
            openssl req -x509 \(curve) -nodes -subj '/CN=authority' -keyout ca.key -out ../ca.pem
            openssl req \(curve) -nodes -subj '/CN=server' -keyout key.pem -out request.pem
            printf 'subjectAltName=IP:127.0.0.1,DNS:upstream.test' > names
            openssl x509 -req -in request.pem -CA ../ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out cert.pem
            openssl req \(curve) -passout pass:pa55-Word -subj '/CN=client' -keyout ../client.key -out request.pem
            openssl x509 -req -in request.pem -CA ../ca.pem -CAkey ca.key -CAcreateserial -days 2 -out ../client.pem
            """)
        guard made.code == 0 else { throw CocoaError(.executableLoad) }
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        let client = needsClientCertificate ? "ssl_client_certificate ../ca.pem; ssl_verify_client on;" : ""
        // nginx does not choose a port by itself, and a free one may be gone by the time that it listens.
        for _ in 1...20 {
            let free = try Server { _ in .status(204) }
            free.stop()
            try Self.configuration(port: free.port, upstream: place.server.url, temporary: temporary, client: client)
                .write(toFile: "\(folder)/nginx.conf", atomically: true, encoding: .utf8)
            // It goes into the background once it listens, so there is nothing to wait for; pipes must not go with it.
            let run = try await place.shell(
                "\(Self.program) -p '\(folder)' -c nginx.conf -e error.log >/dev/null 2>&1 && cat nginx/nginx.pid")
            guard run.code == 0, let id = Int32(run.output.prefix { $0.isNumber }), id > 1 else { continue }
            port = free.port
            process = id
            return
        }
        throw CocoaError(.executableLoad)
    }

    private static func configuration(port: UInt16, upstream: String, temporary: [String], client: String) -> String {
        """
        pid nginx.pid; error_log error.log;
        events {}
        http {
            access_log off; \(temporary.joined(separator: " "))
            server {
                listen 127.0.0.1:\(port) ssl; ssl_certificate cert.pem; ssl_certificate_key key.pem; \(client)
                location / { proxy_pass \(upstream); proxy_set_header X-Client $ssl_client_s_dn; }
            }
        }
        """
    }

    deinit { kill(process, SIGTERM) }
}

/// A proxy that relays requests and tunnels to this machine, for any host name, and records their requests.
final class Proxy: Sendable {
    let port: UInt16
    private let process: Int32
    private let log: String

    init(in place: Workplace) async throws {
        log = place.path("proxy.log")
        try Self.program.write(toFile: place.path("proxy.py"), atomically: true, encoding: .utf8)
        // Its parent says its port and its process once it listens, and ends.
        let run = try await place.shell("python3 proxy.py proxy.log")
        let numbers = run.output.split(separator: " ").compactMap { Int32($0.prefix { $0.isNumber }) }
        guard run.code == 0, numbers.count == 2, numbers[1] > 1 else { throw CocoaError(.executableLoad) }
        port = UInt16(clamping: numbers[0])
        process = numbers[1]
    }

    deinit { kill(process, SIGTERM) }

    /// The heads of the requests that it got.
    var heads: [String] {
        ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\0").map(String.init)
    }

    private static let program = #"""
        import os, socket, sys, threading

        log, lock = open(sys.argv[1], "w"), threading.Lock()

        def pump(source, target):
            try:
                while data := source.recv(65536):
                    target.sendall(data)
            except OSError:
                pass
            for end in (source, target):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        def serve(client):
            data = b""
            while b"\r\n\r\n" not in data:
                more = client.recv(65536)
                if not more:
                    return
                data += more
            head = data.split(b"\r\n\r\n")[0].decode()
            with lock:
                log.write(head + "\0")
                log.flush()
            method, target, _ = head.split("\r\n")[0].split(" ")
            place = target if method == "CONNECT" else target.split("/")[2]
            upstream = socket.create_connection(("127.0.0.1", int(place.rsplit(":", 1)[1])))
            if method == "CONNECT":
                client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                path = "/" + target.split("/", 3)[3]
                upstream.sendall(data.replace(target.encode(), path.encode(), 1))
            threading.Thread(target=pump, args=(client, upstream), daemon=True).start()
            pump(upstream, client)

        listener = socket.create_server(("127.0.0.1", 0))
        child = os.fork()
        if child:
            print(listener.getsockname()[1], child, flush=True)
            os._exit(0)
        for descriptor in range(3):
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
        """#
}
