/// The words that names and descriptions are put together from.
enum WordLists {
    static let owners = [
        "nordlicht-labs", "kumo-systems", "paperlantern", "hafenwerk", "tidepool-io", "brightmoss", "sternwarte",
        "quietharbor", "yamabuki", "ironwood-dev", "feldweg", "mapleandpine", "kogarashi", "waldkauz", "openkiln",
        "lighthouse-oss", "grauspecht", "hoshizora", "copperfern", "schwarzwald-it", "saltmarsh", "minamo", "redknot",
        "zeitgeber", "fjordworks", "asagiri", "blaubeere", "oakandember", "komorebi-dev", "deichkind-code", "larkspur",
        "nachtzug", "tsubame-lab", "granitfels", "wrenfield", "morgentau", "umi-no-oto", "slatehill", "spreewald",
        "hinoki-works", "thistledown", "leuchtfeuer",
    ]

    static let stems = [
        "quill", "harbor", "lumen", "tern", "kestrel", "basalt", "mizu", "ember", "fathom", "juniper", "cobalt",
        "otter",
        "sable", "tundra", "willow", "zephyr", "anvil", "birch", "cinder", "drift", "falke", "gneiss", "heron", "isar",
        "kaede", "loom", "meridian", "nimbus", "opal", "plover", "quartz", "raven", "saffron", "tanuki", "umber",
        "velvet",
        "wicket", "yuki", "zircon", "alder", "beacon", "cedar", "dune", "elster", "flint", "garnet", "hazel", "indigo",
        "jasper", "kelp", "larch", "moss", "newt", "onyx", "pebble", "reed", "sora", "thistle", "ursa", "vesper",
        "wren",
        "amsel", "brisk", "crane", "dachs", "fennel", "glimmer", "hokori", "iris", "kite", "linden", "mistral", "nori",
        "osprey", "pylon", "ridge", "sprig", "tsuru", "vale", "yarrow",
    ]

    static let englishTails = [
        "", " with zero dependencies", " for small devices", " designed to stay out of your way",
        " with a tiny footprint",
        ", written in {language}", " for people who read the manual", " built to survive power cuts", " in one file",
        " with sensible defaults", ", fast and boring", " for teams of one", ", tested on real hardware",
    ]

    static let germanTails = [
        "", " – ohne Abhängigkeiten", " – größtenteils in {language}", ", schnell und übersichtlich",
        " (mit Prüfläufen)",
        ", auch für ältere Geräte",
    ]

    static let japaneseTails = ["", "（依存なし）", "。高速で軽量。", "。{language} 製。", " — 入門者向け"]

    static let emoji = ["🚀", "🌊", "🦉", "⚡️", "🧭", "🪶", "🍁", "🔭", "🧩", "🐈‍⬛", "🗾", "👩‍💻"]

    static let licenses: [License?] = [
        License(key: "mit", name: "MIT License", spdx: "MIT"),
        License(key: "mit", name: "MIT License", spdx: "MIT"),
        License(key: "apache-2.0", name: "Apache License 2.0", spdx: "Apache-2.0"),
        License(key: "bsd-3-clause", name: "BSD 3-Clause \"New\" or \"Revised\" License", spdx: "BSD-3-Clause"),
        License(key: "gpl-3.0", name: "GNU General Public License v3.0", spdx: "GPL-3.0"),
        License(key: "mpl-2.0", name: "Mozilla Public License 2.0", spdx: "MPL-2.0"),
        nil,
    ]

    static let performers = [
        "小鹿", "星野ひかり", "Luna", "晴天娃娃", "みなも", "Käthe", "阿九", "風鈴🎐", "Mira", "橘子汽水🍊", "雪見", "夜航船",
        "Jörg am Klavier", "青柠", "ことり", "DJ Möwe", "云朵☁️", "さくら🌸", "北岛", "Nana", "糖糖🍬", "汐音", "Zoë", "半夏",
    ]
}
