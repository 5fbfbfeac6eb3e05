-- Which walk has a page is asked only of a page that is asked for once more; the index cost every page a write.
DROP INDEX _walk_page_page;
