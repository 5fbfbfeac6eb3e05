/// The help texts.
enum HelpText {
    /// The text below the error of `feedsync` without a command.
    static func usage(width: Int) -> String {
        """

        Usage: feedsync COMMAND [OPTIONS]

        \(commands(width))

        \(TextLayout.paragraphs(beginning, to: width))
        """
    }

    /// All commands at a glance.
    static func overview(_ palette: Palette, width: Int) -> String {
        """
        \(TextLayout.paragraphs("feedsync \(purpose).", to: width))

        \(palette.name("Usage:")) feedsync COMMAND [OPTIONS]

        \(palette.name("Commands:"))
        \(commands(width))

        \(palette.name("Options of most commands:"))
        \(TextLayout.list((Option.general + [.version]).map(entry), to: width))

        \(palette.name("Files:"))
        \(TextLayout.paragraphs(files, to: width))

        \(palette.name("Environment:"))
        \(TextLayout.paragraphs(environment, to: width))

        \(palette.name("Exit codes:"))
        \(TextLayout.paragraphs(codes, to: width))

        \(TextLayout.paragraphs(more + "\n\n" + beginning, to: width))
        """
    }

    /// All about one command.
    static func text(of command: Command, _ palette: Palette, width: Int) -> String {
        """
        \(palette.name("Usage:")) \(command.synopsis)

        \(TextLayout.paragraphs(command.explanation, to: width))

        \(palette.name("Options:"))
        \(TextLayout.list(command.allOptions.map(entry), to: width))

        \(palette.name("Example:"))
          \(command.example)
        """
    }

    /// The words that commands and messages use.
    static func words(_ palette: Palette, width: Int) -> String {
        palette.name("Words:") + "\n" + TextLayout.paragraphs(glossary, to: width)
    }

    private static func commands(_ width: Int) -> String {
        TextLayout.list(Command.all.map { ($0.name, $0.summary) }, to: width)
    }

    private static func entry(_ option: Option) -> (String, String) {
        let letter = option.letter.map { "-\($0), " } ?? "    "
        let placeholder = option.placeholder.map { " \($0)" } ?? ""
        return (letter + option.written + placeholder, option.summary)
    }

    /// The purpose of feedsync, as the end of a sentence.
    static let purpose = "mirrors paginated HTTP feeds into SQLite or PostgreSQL"

    static let files = """
          feedsync.yaml  the feeds; `feedsync check` validates it
          feedsync.db  the store, beside the configuration; sqlite3 can read it at any time
        """

    static let environment = """
          FEEDSYNC_CONFIG  the configuration, unless `--config` names it
          FEEDSYNC_STORE  the store, unless `--store` names it
          NO_COLOR  if set, nothing is coloured
          http_proxy, https_proxy, no_proxy  proxies, as for curl
          CURL_CA_BUNDLE, SSL_CERT_FILE  certificates to trust, in place of the system's
        """

    static let codes = """
          0  done, also when nothing was new
          1  with `status --fail` and `doctor`: not all is well
          64  wrong usage
          65  a page cannot be decoded or followed
          69  the server cannot be reached, or fails
          70  a bug in feedsync
          73  the store cannot be opened or written
          74  the output cannot be written
          75  try later
          77  access refused (401, 403)
          78  the configuration is wrong
          128+N  stopped by signal N
        """

    static let more = """
        DURATION is a number with a unit: 500ms, 30s, 5m, 2h or 1d; without one, it is seconds.

        `feedsync help COMMAND` explains a command, `feedsync help words` the words used here.
        """

    private static let beginning = """
        New here? Run `feedsync demo`. It needs neither a network nor a configuration.
        """

    static let glossary = """
          feed  one paginated list behind a URL, mirrored into a table of the same name
          page  one HTTP response, with its items
          item  one object on a page; a row in the feed's table
          page cursor  what to request next: a page number, an offset, a token or a URL
          section  a titled group of items; a feed has one unless its definition says what to group by
          crawl  the pages fetched one after another, starting with the first page
          full crawl  a crawl of every page
          synced range  stored pages that are known to follow one another
          generation  the number of the crawl that last changed an item's place in the feed
          run  one command on one feed, from start to outcome
          state  the condition of a feed in one word; `feedsync help status` lists them
          event  one line of the event log: a request for a page begins or ends
          header, footer  a request for the first page (beginHeader, endHeader), or a later one (beginFooter, endFooter)
          noMoreData  there are no further pages
          complete  the crawl reached the end, and the list did not move meanwhile
          verified  it was checked that no item was missed
          partition  a part of a feed that is requested by itself, because the server caps long lists
          lock  keeps two processes from working on one feed at the same time
        """
}
