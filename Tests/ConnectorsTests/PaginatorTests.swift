import Connectors
import Testing

@Suite struct PaginatorTests {
    private static func paginator(_ strategy: String, token: String = "p", size: String? = "count") -> [String] {
        [
            "paginator:", "  type: DefaultPaginator", "  pagination_strategy: {\(strategy)}",
            token == "path"
                ? "  page_token_option: {type: RequestPath}"
                : "  page_token_option: {type: RequestOption, inject_into: request_parameter, field_name: \(token)}",
        ]
            + (size.map {
                ["  page_size_option: {type: RequestOption, inject_into: request_parameter, field_name: \($0)}"]
            }
                ?? [])
    }

    @Test(
        "A paginator of the connector becomes one of the configuration",
        arguments: [
            (
                "type: PageIncrement, page_size: 50, start_from_page: 1", "p",
                "{style: page, param: p, first: 1, size_param: count, size: 50}"
            ),
            (
                "type: PageIncrement, page_size: 50", "p",
                "{style: page, param: p, first: 0, size_param: count, size: 50}"
            ),
            ("type: PageIncrement", "p", "{style: page, param: p, first: 0}"),
            ("type: PageIncrement, page_size: -1", "p", "{style: page, param: p, first: 0}"),
            ("type: OffsetIncrement, page_size: 50", "p", "{style: offset, param: p, limit_param: count, limit: 50}"),
            (
                "type: OffsetIncrement, page_size: \"{{ config['size'] }}\"", "p",
                "{style: offset, param: p, limit_param: count, limit: 25}"
            ),
            (
                "type: CursorPagination, page_size: 5, cursor_value: \"{{ response.meta.next }}\"", "p",
                "{style: cursor, param: p, next: meta.next, size_param: count, size: 5}"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ response.get('meta', {}).get('next', {}) }}\"", "path",
                "{style: next_url, next: meta.next}"
            ),
            ("type: CursorPagination, cursor_value: \"{{ headers['link']['next']['url'] }}\"", "path", "{style: link}"),
            (
                "type: CursorPagination, cursor_value: \"{{ headers['X-Next'] }}\"", "p",
                "{style: cursor, param: p, header: X-Next}"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ last_record['id'] }}\"", "p",
                "{style: keyset, param: p, from: id}"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ last_records[-1].id }}\"", "p",
                "{style: keyset, param: p, from: id}"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ response['data'][-1]['id'] }}\", stop_condition: \"{{ not response.get('has_more', False) }}\"",
                "p", "{style: keyset, param: p, from: id, more: has_more}"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ response.page + 1 if response.page < response.pages }}\"",
                "p",
                "{style: page, param: p, pages: pages}"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ (last_page_token_value or 0) + last_page_size }}\"", "p",
                "{style: offset, param: p}"
            ),
            (
                "type: CursorPagination, cursor_value: x, stop_condition: \"{{ True }}\"", "p",
                "paginator: the next page's place is worked out by `x`"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ response.next }}\", stop_condition: \"{{ True }}\"", "p",
                "none"
            ),
            (
                "type: CursorPagination, cursor_value: \"{{ response.next | hash }}\"", "p",
                "paginator: the next page's place is worked out by `{{ response.next | hash }}`"
            ),
            (
                "type: CustomPaginationStrategy, class_name: source_x.P", "p",
                "code: `source_x.P` is code of the connector's own"
            ),
        ])
    func style(strategy: String, token: String, expected: String) throws {
        #expect(try Manifest(retriever: Self.paginator(strategy, token: token)).member("pagination") == expected)
    }

    @Test(
        "A stop condition adds a flag only where the list does not end so by itself",
        arguments: [
            ("{{ not response.next }}", ""), ("{{ response.next == '' }}", ""), ("{{ response['next'] is none }}", ""),
            ("{{ 'next' not in response }}", ""), ("{{ response.next is not defined }}", ""),
            ("{{ 'next' not in response or response.next == '' }}", ""), ("{{ last_page_size < 100 }}", ""),
            ("{{ not last_record }}", ""), ("{{ response.data | length == 0 }}", ""), ("{{ not response.data }}", ""),
            ("{{ not response.more }}", ", more: more"), ("{{ response.meta.more == false }}", ", more: meta.more"),
            ("{{ response.last }}", ", last: last"), ("{{ response['is_last'] == True }}", ", last: is_last"),
            ("{{ not response.more or response.last }}", ", more: more, last: last"),
        ])
    func stop(condition: String, flags: String) throws {
        let strategy = "type: CursorPagination, cursor_value: \"{{ response.next }}\", stop_condition: \"\(condition)\""
        let manifest = Manifest(retriever: Self.paginator(strategy))
        #expect(try manifest.member("pagination") == "{style: cursor, param: p, next: next\(flags)}")
        #expect(try manifest.translation().feeds.first?.notes == [])
    }

    @Test("A stop condition that is not understood is a note, for the list ends by itself")
    func unknownStop() throws {
        let strategy =
            "type: CursorPagination, cursor_value: \"{{ response.next }}\", stop_condition: \"{{ response.a * 2 > 3 and last_record }}\""
        let feed = try #require(try Manifest(retriever: Self.paginator(strategy)).translation().feeds.first)
        #expect(feed.notes.count == 1)
        #expect(feed.notes.first?.contains("response.a * 2") == true)
    }

    @Test("A token that the schema's items do not have is one of the body")
    func lastRecord() throws {
        let manifest = Manifest(
            stream: ["schema_loader: {type: InlineSchemaLoader, schema: {properties: {id: {type: string}}}}"],
            retriever: Self.paginator("type: CursorPagination, cursor_value: \"{{ last_record['meta']['after'] }}\""))
        #expect(try manifest.member("pagination") == "{style: cursor, param: p, next: meta.after}")
    }

    @Test("In a POST, the token and the size are members of the body")
    func body() throws {
        let manifest = Manifest(
            retriever: [
                "paginator:", "  type: DefaultPaginator",
                "  pagination_strategy: {type: CursorPagination, page_size: 5, cursor_value: \"{{ response.next }}\"}",
                "  page_token_option: {type: RequestOption, inject_into: body_json, field_path: [page, after]}",
                "  page_size_option: {type: RequestOption, inject_into: body_json, field_name: limit}",
            ], requester: ["http_method: POST"])
        #expect(
            try manifest.member("pagination")
                == "{style: cursor, param: page.after, next: next, size_param: limit, size: 5}")
    }
}
