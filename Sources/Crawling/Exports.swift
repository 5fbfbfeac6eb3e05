// Modules that come with `import Crawling`, because signatures of Crawling name their types.
@_exported public import Feeds
