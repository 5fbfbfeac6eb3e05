/// What the names of members and parameters say about paging; names folded.
enum PagingNames {
    /// The number of the page.
    static let number: Set<String> = [
        "page", "currentpage", "pageno", "pagenumber", "pagenum", "pageindex", "number", "curpage", "pn", "paged",
        "pagecurrent", "current", "thispage", "pagina", "xpage",
    ]
    /// How many pages there are.
    static let pages: Set<String> = [
        "pages", "totalpages", "lastpage", "nbpages", "pagecount", "pagetotal", "pagescount", "numpages", "maxpage",
        "numberofpages", "countpages", "pagestotal", "totalpage", "noofpages", "xtotalpages", "xwptotalpages",
    ]
    /// How many items there are on all pages.
    static let total: Set<String> = [
        "total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalelements", "totalhits", "totalrows",
        "count", "found", "nbhits", "numfound", "numresults", "recordcount", "itemcount", "itemscount", "resultcount",
        "totalsize", "totalobjects", "totalentries", "rowcount", "records", "matches", "numberofresults", "grandtotal",
        "filteredtablerowscount", "itemstotal", "totalnumber", "fullcount", "xtotalcount", "xwptotal", "xtotal",
        "odatacount", "estimatedtotalhits",
    ]
    /// How many items come before the page's.
    static let offset: Set<String> = [
        "offset", "start", "skip", "startindex", "startat", "from", "first", "startrow", "firstresult", "startrecord",
        "currentoffset",
    ]
    /// How many items a page may have.
    static let size: Set<String> = [
        "limit", "perpage", "pagesize", "size", "hitsperpage", "maxresults", "itemsperpage", "rows", "take", "top",
        "resultsperpage", "numrows", "pagelimit", "maxitems",
    ]
    /// Whether there is a further page.
    static let more: Set<String> = [
        "hasmore", "hasnext", "hasnextpage", "more", "moreresults", "ismore", "morepages", "moreresultsavailable",
        "hasmorepages", "hasmoreitems", "hasmoreresults", "nextpageexists", "moreitems",
    ]
    /// The same the other way round.
    static let last: Set<String> = ["islast", "lastpage", "islastpage", "last", "end", "isend"]
    /// What leads to the next page and is not a URL.
    static let token: Set<String> = [
        "nextcursor", "nextpagetoken", "nexttoken", "nextpagecursor", "endcursor", "nextkey", "continuationtoken",
        "nextcontinuationtoken", "nextmarker", "nextid", "nextpageid", "after", "bookmark", "nextpagekey", "pagetoken",
        "nextsyncpage", "nextpage", "nextoffset", "nextstart", "nextrecord", "next", "cursor", "paginationtoken",
        "marker", "lastkey", "resumptiontoken", "nextskip", "nextindex", "cursor", "offset", "nextresults",
    ]

    /// Words in the names of objects that speak of the list rather than of something else.
    static let envelopes: Set<String> = [
        "meta", "metadata", "page", "pages", "paging", "pagination", "paginator", "pager", "pageinfo", "info", "cursor",
        "cursors", "link", "links", "response", "result", "results", "search", "query", "list", "listing", "summary",
        "total", "totals", "count", "counts", "header", "headers", "data", "hits", "nav", "navigation", "collection",
        "context", "request", "embedded", "body", "view", "resultset",
    ]

    /// Whether a member beside a list speaks of pages: such a list is likelier to be the items.
    static func isOfPaging(_ name: String) -> Bool {
        let name = MemberName(name)
        let folded = name.folded
        return name.words.contains("next") || name.words.first == "more" || name.words.contains("more")
            || more.contains(folded) || pages.contains(folded) || total.contains(folded) || folded == "pageinfo"
            || folded == "perpage" || folded == "pagination" || folded == "paging"
    }
}
