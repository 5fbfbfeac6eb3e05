# Mirrors lists whose pages follow one another as in OData and GraphQL, without a line of configuration.

list api.example.com/odata/Products '[range(1; 76) | {ProductID: ., Name: "product \(.)"}]'
list api.example.com/graphql.json '[range(1; 76) | {id: "T\(.)", name: "thing \(.)"}]'

ann <<'END'
feedsync add products https://api.example.com/odata/Products
feedsync add things https://api.example.com/graphql --data '{"query": "query ($first: Int, $after: String) { things(first: $first, after: $after) { nodes { id name } pageInfo { hasNextPage endCursor } } }", "variables": {"first": 50, "after": null}}'
feedsync sync
feedsync sql "SELECT (SELECT count(*) FROM products) AS products, (SELECT count(*) FROM things) AS things"
END
documented apis.md "${typed[1]}"
documented apis.md "${typed[2]}"
has "the pages of OData" 'next_url' "${output[1]}"
has "the pages of GraphQL" 'variables.after' "${output[2]}"
is "products and things" $'products\tthings\n75\t75' "${output[4]}"
is "lists that are complete" 2 "$(rows 'SELECT count(*) FROM feed WHERE complete')"
