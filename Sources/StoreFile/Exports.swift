// What comes with `import StoreFile`: its signatures name types of this module.
@_exported public import Crawling
