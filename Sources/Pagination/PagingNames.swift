package import JSON
internal import Text

/// The names of members and parameters that concern paging, folded.
package enum PagingNames {
    /// The number of the page.
    package static let number: Set<String> = [
        "page", "currentpage", "pageno", "pagenumber", "pagenum", "pageindex", "number", "curpage", "pn", "paged",
        "pagecurrent", "current", "thispage", "pagina", "xpage",
    ]
    /// The names of the number of pages.
    package static let pages: Set<String> = [
        "pages", "totalpages", "lastpage", "nbpages", "pagecount", "pagetotal", "pagescount", "numpages", "maxpage",
        "numberofpages", "countpages", "pagestotal", "totalpage", "noofpages", "xtotalpages", "xwptotalpages",
        "lastpagenumber", "lastpageno", "lastpagenum", "totalpagecount", "totalnumberofpages", "totalnumpages",
        "totalpagenumber", "totalpagenum",
    ]
    /// The names of the number of items on all pages.
    package static let total: Set<String> = [
        "total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalelements", "totalhits", "totalrows",
        "count", "found", "nbhits", "numfound", "numresults", "recordcount", "itemcount", "itemscount", "resultcount",
        "totalsize", "totalobjects", "totalentries", "rowcount", "records", "matches", "numberofresults", "grandtotal",
        "filteredtablerowscount", "itemstotal", "totalnumber", "fullcount", "xtotalcount", "xwptotal", "xtotal",
        "odatacount", "estimatedtotalhits", "numbermatched", "totalmatched", "totalfound", "matched",
        // A number: elsewhere it is the name of the items.
        "hits",
    ]
    private static let countWords: Set<String> = [
        "total", "num", "number", "count", "n", "estimate", "estimated", "approx",
    ]
    private static let fillWords: Set<String> = ["of", "all", "the", "matched", "matching", "found", "available"]
    private static let countedWords: Set<String> = [
        "", "items", "item", "results", "result", "records", "record", "entries", "entry", "rows", "row", "elements",
        "element", "objects", "object", "hits", "documents", "document", "docs", "matches",
    ]

    /// True for a name of the number of all items.
    ///
    /// - Parameter items: The path of the items: `total_rooms` counts `rooms`.
    package static func isTotal(_ name: MemberName, of items: Path) -> Bool {
        if total.contains(name.folded) { return true }
        let words = name.words
        guard words.count > 1, !countWords.isDisjoint(with: words) else { return false }
        let counted = words.filter { !countWords.contains($0) && !fillWords.contains($0) }.joined()
        guard !countedWords.contains(counted) else { return true }
        guard case .member(let own)? = items.segments.last else { return false }
        let list = MemberName(own).folded
        return counted == list || counted + "s" == list || counted == list + "s"
    }

    /// True if the name marks an estimate.
    package static func isEstimate(_ name: MemberName) -> Bool {
        name.words.contains { ["estimate", "estimated", "approx", "approximate"].contains($0) }
    }
    /// True for a count that its specification lets be an estimate on every page. Such a list ends with an empty token.
    ///
    /// Source: https://www.openarchives.org/OAI/openarchivesprotocol.html#FlowControl
    static func isUncertain(_ name: MemberName) -> Bool { name.folded == "completelistsize" }

    /// The names of the number of items before the page's.
    package static let offset: Set<String> = [
        "offset", "start", "skip", "startindex", "startat", "from", "first", "startrow", "firstresult", "startrecord",
        "currentoffset",
    ]
    /// The names of a page's place where a link to it has no URL: `next: {page: 2}`.
    static let places: Set<String> = [
        "page", "pageno", "pagenumber", "pagenum", "offset", "skip", "startindex", "startat",
    ]
    /// The names of the largest number of items of a page.
    package static let size: Set<String> = [
        "limit", "perpage", "pagesize", "size", "hitsperpage", "maxresults", "itemsperpage", "rows", "take", "top",
        "resultsperpage", "numrows", "pagelimit", "maxitems",
    ]
    /// The names of flags for a further page.
    package static let more: Set<String> = [
        "hasmore", "hasnext", "hasnextpage", "more", "moreresults", "ismore", "morepages", "moreresultsavailable",
        "hasmorepages", "hasmoreitems", "hasmoreresults", "nextpageexists", "moreitems", "morerecords",
        "hasmorerecords",
        "hasmoreentries", "hasmoredata", "moredata", "moreavailable", "ismoreavailable", "moreresultsexist",
        "hasnexturl",
        "hasnextlink", "hasadditionalresults", "morerows", "canloadmore", "loadmore", "havemore", "havemoreresults",
        "havemoreitems", "havenext", "hasmorerows", "hasmoreobjects", "hasmoredocuments", "moreitemsavailable",
        "morerecordsavailable", "moredataavailable", "moreentriesavailable", "morepagesavailable", "nextpageavailable",
    ]
    /// The same the other way round.
    package static let last: Set<String> = [
        "islast", "lastpage", "islastpage", "last", "end", "isend", "endofstream", "endoflist", "endofresults", "eof",
        "nomore", "nomorepages", "nomoreresults", "nomoredata", "nomoreitems", "reachedend",
        "finalpage", "isfinalpage", "islastbatch", "endreached", "isendreached",
    ]
    /// The names of flags by which an upstream calls its list incomplete.
    package static let partial: Set<String> = [
        "truncated", "istruncated", "incomplete", "isincomplete", "incompleteresults", "partial", "ispartial",
        "partialresults", "partialresponse", "exceededtransferlimit", "terminatedearly", "timedout", "limitexceeded",
        "limitreached", "resultlimitreached", "resultslimited", "resultstruncated", "wastruncated", "overflow",
        "capped", "limited", "islimited", "partialresult", "haspartialresults", "partialdata", "partialcontent",
        "partialfailure", "haserrors", "haserror", "segmentterminatedearly",
        "searchcutoff", "incompletesearch", "resulttruncated", "hitstruncated", "datatruncated",
    ]
    /// The flags among them that no page has merely because others follow: no other page has what it left out.
    package static let leftOut: Set<String> = [
        "incomplete", "isincomplete", "incompleteresults", "partial", "ispartial", "partialresults", "partialresponse",
        "terminatedearly", "timedout", "partialresult", "haspartialresults", "partialdata", "partialcontent",
        "partialfailure", "haserrors", "haserror", "segmentterminatedearly",
        "searchcutoff", "incompletesearch",
    ]
    /// The names of lists of failures: with one that is not empty, a part of the request failed. `unreachable` has the
    /// places of which Google's APIs left the items out: https://google.aip.dev/217
    static let failures: Set<String> = [
        "errors", "failures", "partialerrors", "partialfailures", "error", "failedshards", "unreachable",
        "unreachables", "failedlocation", "failedlocations", "failedregions", "errormessages",
    ]
    /// The names of what an answer says of itself in words.
    static let statuses: Set<String> = [
        "status", "state", "statuscode", "statustext", "responsestatus", "resultstatus", "searchstatus", "querystatus",
        "completeness",
    ]
    /// The names of what an answer repeats of its request.
    static let requests: Set<String> = ["query", "request", "filter", "filters", "params", "parameters", "criteria"]

    /// True for a name by which a thing is known, such as `id`, `order_id` or `build_num`; not for one by which the
    /// answer is, such as `request_id`.
    static func identifiesThing(_ name: MemberName) -> Bool {
        guard let last = name.words.last else { return false }
        let others = name.words.dropLast()
        guard
            ["id", "uuid", "guid", "key", "sku", "slug", "name"].contains(last)
                || ["number", "num", "no"].contains(last) && !others.isEmpty
        else { return false }
        return others.allSatisfy { !answerWords.contains($0) }
    }

    private static let answerWords: Set<String> = [
        "request", "response", "trace", "correlation", "query", "search", "session", "transaction", "span", "job",
        "execution", "operation", "page", "next", "previous", "prev", "first", "last", "cursor", "total", "scroll",
        "log", "server", "host", "cluster", "api", "sort",
    ]
    /// The names of the opposite flags. They end nothing: they may describe something else.
    package static let whole: Set<String> = [
        "complete", "iscomplete", "completed", "done", "isdone", "finished", "isfinished", "isfinal", "exhausted",
        "jobcomplete",
    ]
    /// The names of the number of items or pages left.
    package static let rest: Set<String> = [
        "remainingitemcount", "remainingitems", "remainingcount", "remainingresults", "remainingrecords",
        "remainingpages", "itemsremaining", "recordsremaining", "resultsremaining", "pagesremaining", "remaining",
        "pending", "itemsleft", "pagesleft", "rowsremaining", "remainingrows", "remainingentries", "entriesremaining",
        "remainingelements", "remainingobjects", "recordsleft", "rowsleft", "resultsleft",
    ]
    /// Objects and arrays that are sent back to get the next page.
    package static let cursorObjects: Set<String> = [
        "lastevaluatedkey", "continue", "querycontinue", "nextparams", "nextquery", "nextcursor", "nextpagetoken",
        "nexttoken", "nextkey", "searchafter", "nextsearchafter", "exclusivestartkey", "nextstartkey",
    ]
    /// The names of tokens for the next page, apart from URLs; `leadsOn` knows others that contain `next`.
    package static let token: Set<String> = [
        "nextcursor", "nextpagetoken", "nexttoken", "nextpagecursor", "endcursor", "nextkey", "continuationtoken",
        "nextcontinuationtoken", "nextmarker", "nextid", "nextpageid", "after", "bookmark", "nextpagekey", "pagetoken",
        "nextsyncpage", "nextpage", "nextoffset", "nextstart", "nextrecord", "next", "cursor", "paginationtoken",
        "marker", "lastkey", "resumptiontoken", "nextskip", "nextindex", "offset", "nextresults", "continue",
        "continuation", "scrollid", "scrollparam", "pagingstate",
        "nextpagingstate", "lastevaluatedkey", "aftercursor", "afterurl", "aftertoken", "afterkey", "nextbatch",
        "nextcursormark", "searchafter", "startingafter", "nextstartkey", "end", "token",
    ]
    /// Tokens that mean a further page without `next` in their names; others repeat the request, or count.
    private static let leading: Set<String> = token.subtracting(["offset", "pagetoken"])
    /// Words after `next` in the names of tokens and links: `next_event` is neither.
    private static let leadingWords: Set<String> = [
        "page", "pages", "pageno", "pagenumber", "pagetoken", "cursor", "cursormark", "token", "url", "uri", "link",
        "href", "path", "key", "marker", "id", "offset", "start", "index", "skip", "record", "records", "result",
        "results", "continuation", "continuationtoken", "batch", "position", "set", "params", "query", "after", "from",
        "number", "num", "no", "items", "paging", "state", "search", "range", "forward", "max",
    ]
    private static let otherWords: Set<String> = [
        "previous", "prev", "before", "first", "learn", "read", "event", "run", "sync", "delta", "self", "current",
    ]

    /// True if any value that can be sent, in a member or header of that name, leads to a next page.
    package static func leadsOn(_ name: MemberName) -> Bool {
        let words = name.words
        guard otherWords.isDisjoint(with: words) else { return false }
        if let next = words.firstIndex(of: "next") {
            return words[(next + 1)...].allSatisfy(leadingWords.contains)
        }
        // A header's `X-` and `ms`, and words for the list, do not change the meaning of the words after them.
        return words.indices.contains { start in
            leading.contains(words[start...].joined())
                && words[..<start].allSatisfy { envelopes.contains($0) || ["x", "ms"].contains($0) }
        }
    }

    /// True if a URL, in a member of that name, leads to more of the list, as Discourse's `more_topics_url` does.
    static func leadsToMore(_ name: MemberName) -> Bool {
        name.words.first == "more" && ["url", "uri", "link", "href", "path"].contains(name.words.last)
            && name.words.allSatisfy { !["info", "information", "details", "detail", "help"].contains($0) }
    }

    /// True if a header of that name does.
    package static func leadsOn(inHeader name: MemberName) -> Bool {
        let words = withoutPrefix(name)
        guard let first = words.first, otherWords.isDisjoint(with: name.words) else { return false }
        if first == "next" { return words.dropFirst().allSatisfy(leadingWords.contains) }
        return first.hasPrefix("next") && leadingWords.contains(String(first.dropFirst(4)))
            || first.hasPrefix("continuation") || first == "cursor"
    }

    /// The words of a header's name without `X-` and a vendor's name before what leads on.
    package static func withoutPrefix(_ name: MemberName) -> [String] {
        let words = name.words
        let start = words.firstIndex { word in
            word == "next" || word == "cursor" || word.hasPrefix("continuation")
                || word.hasPrefix("next") && leadingWords.contains(String(word.dropFirst(4)))
        }
        return Array(words[(start ?? words.startIndex)...])
    }

    /// True if the text, in place of a token, means that there is none.
    package static func isNothing(_ text: String) -> Bool {
        ["", "null", "none", "nil", "undefined", "false"].contains(text.lowercasedASCII)
    }

    /// True for the tokens with which lists end, or which ask for their beginning: no next page has them.
    ///
    /// Sources: https://developer.x.com/en/docs/x-api/v1/pagination, https://redis.io/docs/latest/commands/scan/,
    /// https://solr.apache.org/guide/solr/latest/query-guide/pagination-of-results.html
    package static func isBorder(_ token: String) -> Bool { ["0", "-1", "*"].contains(token) }

    /// Words that say that nothing failed.
    private static let wellWords: Set<String> = [
        "ok", "okay", "success", "successful", "succeed", "succeeded", "no error", "no errors", "noerror",
    ]

    /// True if the value of an error says that there is none.
    package static func saysNothing(_ value: JSONValue) -> Bool {
        switch value {
        case .null, .bool(false): true
        case .bool(true): false
        // Codes such as `0.0` and `"0000"` are 0, too.
        case .number(let text): text.allSatisfy { $0 == "0" || $0 == "." || $0 == "-" }
        case .string(let text):
            isNothing(text) || wellWords.contains(text.lowercasedASCII) || text.allSatisfy { $0 == "0" }
        case .array(let elements): elements.isEmpty
        case .object(let members): members.all.allSatisfy { saysNothing($0.value) }
        }
    }

    /// Words in the names of objects that speak of the list rather than of something else.
    package static let envelopes: Set<String> = [
        "meta", "metadata", "page", "pages", "paging", "pagination", "paginator", "pager", "pageinfo", "info", "cursor",
        "cursors", "link", "links", "response", "result", "results", "search", "query", "list", "listing", "summary",
        "queries",
        "total", "totals", "count", "counts", "header", "headers", "data", "hits", "nav", "navigation", "collection",
        "context", "request", "embedded", "body", "view", "resultset", "next", "hal", "d",
    ]

    /// True if a member beside a list concerns pages: such a list is more likely to be the items.
    package static func isOfPaging(_ name: String) -> Bool {
        let name = MemberName(name)
        let folded = name.folded
        return name.words.contains("next") || name.words.first == "more" || name.words.contains("more")
            || more.contains(folded) || pages.contains(folded) || total.contains(folded) || folded == "pageinfo"
            || folded == "perpage" || folded == "pagination" || folded == "paging"
    }
}
