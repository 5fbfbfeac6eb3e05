// What users of the library get with `import FeedSync`: its signatures name types of these modules.
@_exported public import Crawling
@_exported public import MirrorStore
@_exported public import Upstream
