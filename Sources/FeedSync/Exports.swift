// What users of the library get with `import FeedSync`: its signatures name types of these modules.
@_exported public import Crawling
@_exported public import MirrorReader
@_exported public import MirrorWriter
@_exported public import Upstream
