import Connectors
import Testing

@Suite struct ExpressionTests {
    @Test(
        "An expression of settings and times becomes a value of the configuration",
        arguments: [
            ("plain", "plain"),
            ("{{ config['api_key'] }}", "\"${API_KEY}\""),
            ("Token {{ config.api_key }}!", "\"Token ${API_KEY}!\""),
            ("{{ config.get('account') }}", "acme"),
            ("{{ config.get('none', 'x') }}", "x"),
            ("{{ config['none'] or 'other' }}", "other"),
            ("{{ config['mode'] }}", "live"),
            ("{{ 'a' if config.mode == 'live' else 'b' }}", "a"),
            ("{{ 'a' if config.region == 'EU' else 'b' }}", "b"),
            ("{{ 'a' if not config['region'] and 'acme' in config['account'] else 'b' }}", "a"),
            ("{% if config.mode == 'live' %}api{% else %}test{% endif %}.x", "api.x"),
            ("{% if config.region %}a{% elif config.account == 'acme' %}b{% else %}c{% endif %}", "b"),
            ("{%- if not config.region -%}  {{ config.account }}-1  {%- endif -%} ", "acme-1"),
            ("{% if config.mode == 'live' %}{% if config.region %}a{% else %}b{% endif %}{% endif %}", "b"),
            ("{{ 'a' if config.mode == 'live' or next_page_token else 'b' }}", "a"),
            ("{{ 'a' if next_page_token or config.mode == 'live' else 'b' }}", "a"),
            ("{{ 'a' if next_page_token and config.mode == 'test' else 'b' }}", "b"),
            ("{{ config['credentials']['key'] }}", "\"${CREDENTIALS_KEY}\""),
            (#"{{ 'it\'s }} \\' }}"#, #""it's }} \\""#),
            ("${{ today_utc() }}", "\"$${today}\""),
            ("{{ config['size'] }}", "25"),
            ("{{ config['size'] + 5 }}", "30"),
            ("{{ (config['size'] | int) * 2 ~ 'k' }}", "50k"),
            ("{{ config['account'] | upper }}", "ACME"),
            ("{{ config['account'].replace('a', 'b') }}", "bcme"),
            ("{{ ['a', config['account']] | join(',') }}", "\"a,acme\""),
            ("{{ ['a', 'b'] }}", "[a, b]"),
            ("{{ True }}", "true"),
            ("{{ config['start_date'] }}", "\"2024-03-01T05:06:07Z\""),
            ("{{ format_datetime(config['start_date'], '%Y-%m-%d') }}", "\"2024-03-01\""),
            ("{{ timestamp(config['start_date']) * 1000 }}", "1709269567000"),
            ("{{ now_utc().strftime('%Y-%m-%dT%H:%M:%SZ') }}", "\"{now}\""),
            ("{{ now_utc().strftime('%Y-%m-%d') }}", "\"{now:date}\""),
            ("{{ today_utc() }}", "\"{today}\""),
            ("{{ (now_utc() - duration('P30D')).strftime('%s') }}", "\"{now-30d:unix}\""),
            ("{{ day_delta(-7, format='%d.%m.%Y') }}", "\"{now-7d:%d.%m.%Y}\""),
            ("{{ now_utc().timestamp() * 1000 }}", "\"{now:unix_ms}\""),
        ])
    func value(written: String, expected: String) throws {
        let manifest = Manifest(requester: ["request_parameters: {p: \(Self.quoted(written))}"])
            .setting("account", "acme").setting("start_date", "2024-03-01T05:06:07Z")
        #expect(try manifest.member("query") == "{p: \(expected)}")
    }

    @Test(
        "A parameter that has no value is not sent",
        arguments: [
            "{{ config.get('region') }}", "{{ '' }}", "{{ none }}", "{{ config['region'] if config['region'] }}",
        ])
    func nothing(written: String) throws {
        #expect(try Manifest(requester: ["request_parameters: {p: \(Self.quoted(written))}"]).member("query") == nil)
    }

    @Test(
        "A text that is no expression is a reason, whatever it is",
        arguments: [
            "{{ }}", "{{ a", "{{ 'a }}", "{{ a.b( }}", "{{ a ~ }}", "{{ [1, }}", "{{ 1 +* 2 }}", "{{ x | nofilter }}",
            "{{ nofunction() }}", "{{ 9223372036854775807 + 1 }}", "{{ 1 / 0 }}", "{{ 1 % 0 }}",
            "{{ -9223372036854775808 - 1 }}",
            "{{ format_datetime('soon', '%Y') }}", "{{ duration('P9999999999999D') }}", "{{ day_delta(99999999) }}",
            "{{ day_delta(-9223372036854775808) }}", "{{ 5 / 2 }}", "{{ -5 // 2 }}",
            "{{ config['start_date'] - 'x' }}", "{% if config.mode %}a", "{% else %}", "{% if config.mode",
            "{% if %}a{% endif %}",
            "{% if next_page_token %}a{% endif %}", "{{ 'a' if next_page_token or config.region else 'b' }}",
            "{% if config.mode %}a{% else %}b{% elif config.mode %}c{% endif %}",
            "{{ '\(String(repeating: "a", count: 3))' \(String(repeating: "and next_page_token ", count: 300)) }}",
            String(repeating: "{% if config.mode %}", count: 5_000),
            "{% if config.mode %}\(String(repeating: "{% elif config.mode %}", count: 5_000))",
            "{{ \(String(repeating: "(", count: 500)) }}", "{{ \(String(repeating: "- ", count: 500)) 1 }}",
            "{{ \(String(repeating: "a.", count: 2000))a }}", "{{ \(String(repeating: "not ", count: 900)) x }}",
        ])
    func faults(written: String) throws {
        let manifest = Manifest(requester: ["request_parameters: {p: \(Self.quoted(written))}"])
            .setting("account", "acme").setting("start_date", "2024-03-01T05:06:07Z")
        #expect(try manifest.member("query")?.hasPrefix("expression: ") == true)
    }

    @Test("Members of a body keep their types, and a text its own")
    func body() throws {
        let manifest = Manifest(
            requester: [
                "http_method: POST",
                #"request_body_json: {flag: "{{ False }}", count: 3, text: "3", list: "{{ [config['account']] }}", deep: {none: "{{ config['region'] }}", key: "{{ config['api_key'] }}"}}"#,
            ]
        ).setting("account", "acme")
        #expect(
            try manifest.member("body")
                == #"{flag: false, count: 3, text: "3", list: [acme], deep: {key: "${API_KEY}"}}"#)
    }

    private static func quoted(_ text: String) -> String { "\"\(text.replacing("\\", with: "\\\\"))\"" }
}
