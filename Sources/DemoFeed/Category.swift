/// The ingredients of repositories of one kind.
struct Category {
    let name: String
    let languages: [String]
    let suffixes: [String]
    let topics: [String]
    let english: [String]
    let german: [String]
    let japanese: [String]

    static let all = [
        Category(
            name: "Databases",
            languages: ["C", "Rust", "Go", "Java", "C++"],
            suffixes: ["db", "-store", "-sql", "base", "-kv", "-cache", "-index"],
            topics: ["database", "sql", "storage-engine", "key-value", "sqlite", "replication", "b-tree"],
            english: [
                "An embeddable key-value store", "A columnar query engine", "Streaming replication for SQLite",
                "A time-series database", "Schema migrations", "A log-structured storage engine", "A full-text index",
            ],
            german: [
                "Ein schlanker Schlüssel-Wert-Speicher", "Eine Zeitreihendatenbank",
                "Volltextsuche über große Bestände",
                "Überschaubare Schema-Migrationen",
            ],
            japanese: ["組み込み向けのキーバリューストア", "時系列データベース", "SQLite のレプリケーション", "全文検索エンジン"]),
        Category(
            name: "Developer Tools",
            languages: ["Swift", "Go", "Rust", "TypeScript", "Python"],
            suffixes: ["-cli", "fmt", "-lint", "kit", "-dev", "-build", "-shell"],
            topics: ["cli", "linter", "formatter", "build-tool", "terminal", "productivity", "git"],
            english: [
                "A code formatter", "A build system", "Command-line argument parsing", "A terminal file manager",
                "A diff viewer", "Release notes from commit messages", "A task runner",
            ],
            german: [
                "Ein Formatierer für Quelltexte", "Ein Werkzeug für saubere Commits", "Dateiverwaltung im Terminal",
                "Prüft Übersetzungen auf Lücken",
            ],
            japanese: ["コードフォーマッタ", "ターミナル用ファイルマネージャ", "差分ビューア", "コマンドライン引数の解析"]),
        Category(
            name: "Graphics",
            languages: ["C++", "Rust", "C", "Swift", "GLSL"],
            suffixes: ["-gl", "-render", "-canvas", "pix", "-svg", "-ray", "-fonts"],
            topics: ["graphics", "rendering", "vulkan", "svg", "raytracing", "game-engine", "image-processing"],
            english: [
                "A path tracer", "A 2D vector renderer", "An image codec", "A text-shaping engine", "A game engine",
                "Procedural terrain", "A library for colour management",
            ],
            german: [
                "Ein Pfadverfolger für Lernzwecke", "Bibliothek für Farbräume", "Höhenkarten und Gelände",
                "Zeichnet Vektorgrafiken",
            ],
            japanese: ["パストレーサー", "2D ベクターレンダラー", "画像コーデック", "小さなゲームエンジン"]),
        Category(
            name: "Machine Learning",
            languages: ["Python", "Python", "C++", "Julia", "Jupyter Notebook"],
            suffixes: ["-ml", "-net", "-train", "-vision", "-lm", "-tensor", "-data"],
            topics: ["machine-learning", "deep-learning", "inference", "dataset", "nlp", "computer-vision"],
            english: [
                "Inference for small language models", "A tensor library", "Gradient boosting", "Speech recognition",
                "A labelled dataset of street signs", "Reproducible training runs", "Optical character recognition",
            ],
            german: [
                "Spracherkennung für Mundarten", "Texterkennung für alte Drucke", "Lernende Regelung für Wärmepumpen",
                "Wörterbücher für die Sprachverarbeitung",
            ],
            japanese: ["日本語の形態素解析", "軽量な推論ランタイム", "音声認識ツールキット", "手書き文字認識"]),
        Category(
            name: "Networking",
            languages: ["Go", "Rust", "C", "Swift", "Erlang"],
            suffixes: ["-proxy", "-http", "-dns", "wire", "-mqtt", "-tunnel", "d"],
            topics: ["networking", "http", "proxy", "dns", "http2", "quic", "mqtt", "load-balancer"],
            english: [
                "A reverse proxy", "An HTTP/3 client", "A recursive DNS resolver", "A message broker",
                "A user-space TCP stack", "Encrypted tunnels", "A load balancer",
            ],
            german: [
                "Ein rückwärts gerichteter Proxy", "Nachrichtenvermittler für Messgeräte", "Verschlüsselte Tunnel",
                "Namensauflösung mit Gedächtnis",
            ],
            japanese: ["リバースプロキシ", "HTTP/3 クライアント", "DNS リゾルバ", "メッセージブローカー"]),
        Category(
            name: "Web",
            languages: ["TypeScript", "JavaScript", "Ruby", "PHP", "CSS", "Vue"],
            suffixes: ["-ui", ".js", "-web", "-router", "-forms", "press", "-components"],
            topics: ["web", "frontend", "components", "static-site", "accessibility", "css", "markdown"],
            english: [
                "A static site generator", "Accessible UI components", "A client-side router", "A headless CMS",
                "Form validation", "A Markdown editor", "A design system",
            ],
            german: [
                "Barrierefreie Bedienelemente", "Ein Generator für statische Seiten", "Formulare mit Prüfung",
                "Ein Redaktionssystem für Vereine",
            ],
            japanese: ["静的サイトジェネレーター", "アクセシブルな UI コンポーネント", "Markdown エディタ", "フォームバリデーション"]),
    ]
}
