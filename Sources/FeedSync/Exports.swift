// Modules that come with `import FeedSync`, because signatures of FeedSync name their types.
@_exported public import Crawling
@_exported public import MirrorReader
@_exported public import MirrorWriter
@_exported public import Upstream
