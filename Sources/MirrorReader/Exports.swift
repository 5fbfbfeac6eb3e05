// What comes with `import MirrorReader`: its signatures name types of this module.
@_exported public import FeedTables
