// The module that comes with `import MirrorReader`, because signatures of MirrorReader name its types.
@_exported public import FeedTables
