import FeedTables
import Foundation
import MirrorReader
import Reports
import ScriptedServer
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct ChartTests {
    @Test(
        "A scale has round numbers around what is drawn",
        arguments: [
            (0.0, 10.0, true, [0.0, 5, 10]), (0, 3, true, [0, 1, 2, 3]), (0, 0, true, [0, 0.5, 1]),
            (221, 180, false, [180, 200, 220, 240]), (35_482, 36_032, false, [35_400, 35_600, 35_800, 36_000, 36_200]),
            (-3, 20, true, [-10, 0, 10, 20]), (7, 7, false, [6, 7, 8]), (1_000, 1_001, true, [0, 500, 1_000, 1_500]),
        ])
    func scale(least: Double, most: Double, hasZero: Bool, ticks: [Double]) {
        let scale = ChartScale(min(least, most), max(least, most), hasZero: hasZero)
        #expect(scale.ticks == ticks)
        #expect(scale.share(of: scale.low) == 0 && scale.share(of: scale.high) == 1)
    }

    @Test("Any numbers have a scale of at most a dozen ticks, with all of them in it")
    func anyScale() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let numbers = (0..<2).map { _ in
                Double.random(in: -1...1, using: &generator) * pow(10, Double.random(in: -12...290, using: &generator))
            }
            let scale = ChartScale(numbers.min() ?? 0, numbers.max() ?? 0, hasZero: Bool.random(using: &generator))
            #expect((2...13).contains(scale.ticks.count))
            #expect(numbers.allSatisfy { (-0.001...1.001).contains(scale.share(of: $0)) }, "\(numbers)")
        }
    }

    @Test("The scale of things that are counted has no halves")
    func whole() {
        #expect(ChartScale(0, 0, hasZero: true, isWhole: true).ticks == [0, 1])
        #expect(ChartScale(4, 5, hasZero: false, isWhole: true).ticks == [4, 5])
    }

    @Test(
        "Two ticks of a scale never have the same figure",
        arguments: [
            (33_581.0, 33_685.0, ["33,550", "33,600", "33,650", "33,700"]), (0, 30_000, ["0", "10k", "20k", "30k"]),
            (-3, 20, ["10", "0", "10", "20"]),
        ])
    func texts(least: Double, most: Double, texts: [String]) {
        #expect(ChartScale(least, most, hasZero: false).texts == texts)
    }

    @Test("A logarithmic scale reaches a number that is thousands of times another")
    func logarithmic() {
        let scale = ChartScale(0, 5_000, hasZero: true, isLogarithmic: true)
        #expect(scale.ticks == [0, 100])
        #expect(ChartScale(0, 90, hasZero: true, isLogarithmic: true).ticks == [0, 1, 10, 100])
        #expect(scale.share(of: 0) == 0)
        #expect(scale.share(of: 10) > 0.2)
    }

    private func html(_ chart: Chart) -> String {
        var html = HTMLWriter()
        chart.write(to: &html)
        return String(decoding: html.bytes, as: UTF8.self)
    }

    @Test("A chart says in words what it shows, and has its figures as a table")
    func words() {
        let text = html(
            Chart(
                title: "Items & <b>", labels: ["20 Nov", "21 Nov"],
                series: [
                    .init(name: "new", form: .up, values: [3, 1_200]),
                    .init(name: "gone", form: .down, values: [nil, 2]),
                ],
                marks: ([1], "a run failed")))
        #expect(text.contains("<title>Items &amp; &lt;b&gt;</title>"))
        #expect(
            text.contains(
                "<desc>20 Nov to 21 Nov. new: from 3 to 1,200; gone: from 2 to 2; a run failed on 1 day.</desc>"))
        #expect(text.contains("<th scope=\"row\">21 Nov</th><td>1,200</td><td>2</td>"))
        #expect(text.contains("<title>21 Nov: a run failed</title>"))
    }

    @Test(
        "Nothing is drawn of no numbers, or of numbers that no scale has", arguments: [[nil], [.infinity], [1e308], []])
    func nothing(values: [Double?]) {
        let labels = values.map { _ in "21 Nov" }
        #expect(
            html(Chart(title: "x", labels: labels, series: [.init(name: "x", form: .line, values: values)])).isEmpty)
    }

    @Test("Bars of items that came in two ways are stacked")
    func stacked() {
        let text = html(
            Chart(
                title: "x", labels: ["21 Nov"],
                series: [
                    .init(name: "new", form: .up, values: [3]), .init(name: "back", form: .up, values: [3]),
                    .init(name: "removed", form: .down, values: [6]),
                ]))
        func bar(_ kind: String) -> (y: Double, height: Double)? {
            guard let bar = text.split(separator: "<rect class=\"\(kind)\"").dropFirst().first else { return nil }
            func number(_ name: String) -> Double? {
                bar.split(separator: " \(name)=\"").dropFirst().first.flatMap { Double($0.prefix { $0 != "\"" }) }
            }
            return number("y").flatMap { y in number("height").map { (y, $0) } }
        }
        guard let new = bar("up"), let back = bar("up upper"), let removed = bar("down") else {
            Issue.record("\(text)")
            return
        }
        #expect(abs(back.y + back.height - new.y) < 0.2)
        #expect(abs(new.height - back.height) < 0.2 && abs(removed.height - 2 * new.height) < 0.3)
        #expect(abs(removed.y - (new.y + new.height)) < 0.2)
    }

    @Test("Days without a run are days, too, and the counts of items are computed back through them")
    func days() {
        let known = [
            DayCounts(day: "2026-11-19", inserted: 5),
            DayCounts(day: "2026-11-22", inserted: 3, removed: 1, failures: 2),
        ]
        let series = DaySeries(known, itemCount: 7, today: 20_780)
        #expect(series.days.map(\.day) == ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22", "2026-11-23"])
        #expect(series.counts == [5, 5, 5, 7, 7])
        #expect(series.itemCharts[1].marks?.places == [3])
        #expect(DaySeries([DayCounts(day: "2020-01-01")], itemCount: 1, today: 20_780).days.count == DaySeries.most)
        #expect(DaySeries([], itemCount: 1).days.isEmpty)
        let back = DaySeries(
            [DayCounts(day: "2026-11-22", inserted: 3, returned: 2, removed: 1)], itemCount: 9, today: 20_780)
        #expect(back.counts == [9, 9])
        #expect(back.itemCharts[1].title == "New, back and removed a day")
        #expect(back.itemCharts[1].series.map(\.name) == ["new", "back", "removed"])
        #expect(
            DaySeries([DayCounts(day: "soon"), DayCounts(day: "2027-01-01")], itemCount: 1, today: 20_780).days
                .isEmpty)
    }

    @Test(
        "Members of an object come together, after the others, without its name",
        arguments: [
            (["id", "owner.login", "name", "owner.id"], ["-: id name", "owner: login id"]),
            (["id", "owner.login"], ["-: id owner_login"]), ([], []),
            (["a.x", "a.y", "b.x", "b.y"], ["a: x y", "b: x y"]),
        ])
    func groups(paths: [String], groups: [String]) {
        let columns = paths.map { RowColumn(name: $0.replacing(".", with: "_"), path: $0) }
        let found = ColumnGroups(columns).groups.map { name, columns in
            "\(name ?? "-"): \(columns.map(\.label).joined(separator: " "))"
        }
        #expect(found == groups)
    }

    @Test(
        "A number is short where there is little room",
        arguments: [
            (0.0, "0", "0"), (9_999, "9,999", "9,999"), (12_340, "12,340", "12.3k"), (36_200, "36,200", "36.2k"),
            (-2_500_000, "-2,500,000", "-2.5M"), (0.25, "0.25", "0.25"), (-0.5, "-0.5", "-0.5"),
            (1.000_000_4, "1", "1"), (2.999_999_9, "3", "3"), (1e18, "1e+18", "1,000,000T"),
        ])
    func figure(number: Double, figure: String, short: String) {
        #expect(NumberFormat.figure(number) == figure)
        #expect(NumberFormat.short(number) == short)
    }

    @Test("The page of an item has its history, a chart of a number over it, and the items before and after")
    func item() async throws {
        @Sendable func items(_ stars: Int) -> [String] {
            (1...3).map { #"{"id":\#($0),"name":"item \#($0)","stars":\#(stars * $0)}"# }
        }
        try await WebPlace.serving(items: items(5), columns: "columns: {id: id, name: name, stars: stars}") { place in
            for stars in [5, 70, 900] {
                place.feed.edit { $0 = items(stars) }
                try await place.perform(.reload)
            }
            let page = try await place.ask("/item/things?key=2").body
            #expect(page.contains("<del dir=\"auto\">140</del>"))
            #expect(page.contains("<desc>") && page.contains("stars: from 10 to 1,800."))
            #expect(page.contains("href=\"/item/things?key=1\" rel=\"prev\""))
            #expect(page.contains("href=\"/item/things?key=3\" rel=\"next\""))
            #expect(!(try await place.ask("/item/things?key=1").body).contains("rel=\"prev\""))
            let one = try await place.ask("/feeds/things/items/2")
            #expect(one.member("stars") == "1800")
            for (key, status) in [("x", 404), ("%5B2,3%5D", 404), ("null", 404), ("2", 200)] {
                let reply = try await place.ask("/feeds/things/items/\(key)")
                #expect(reply.status == status)
            }
        }
    }
}
