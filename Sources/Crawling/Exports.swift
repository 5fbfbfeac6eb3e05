// What comes with `import Crawling`: its signatures name types of these modules.
@_exported public import Feeds
