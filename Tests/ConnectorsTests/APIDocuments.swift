/// Small documents after those of public APIs.
enum APIDocuments {
    /// As GitHub has it: `Link`, parts that refer to others, and the largest page in words.
    static let link = """
        openapi: 3.0.3
        info: {title: Repositories, version: "1"}
        servers: [{url: "https://api.example.com"}]
        paths:
          /repos/{owner}/{repo}/issues:
            parameters:
              - {name: owner, in: path, required: true, schema: {type: string}, example: octo}
              - {name: repo, in: path, required: true, schema: {type: string}}
            get:
              operationId: issues/list
              summary: List issues
              parameters:
                - {name: since, in: query, schema: {type: string, format: date-time}}
                - $ref: '#/components/parameters/per-page'
                - {name: page, in: query, schema: {type: integer, default: 1}}
              responses:
                200:
                  headers: {Link: {schema: {type: string}}}
                  content:
                    application/json:
                      schema: {type: array, items: {$ref: '#/components/schemas/issue'}}
          /repos/{owner}/{repo}:
            get: {responses: {200: {content: {application/json: {schema: {$ref: '#/components/schemas/repository'}}}}}}
          /search/repositories:
            get:
              parameters:
                - {name: q, in: query, required: true, schema: {type: string}, example: "language:swift"}
                - $ref: '#/components/parameters/per-page'
              responses:
                200:
                  headers: {Link: {schema: {type: string}}}
                  content:
                    application/json:
                      schema:
                        type: object
                        properties:
                          total_count: {type: integer}
                          incomplete_results: {type: boolean}
                          items: {type: array, items: {$ref: '#/components/schemas/repository'}}
        components:
          parameters:
            per-page: {name: per_page, in: query, description: "Results per page (max 100)", schema: {type: integer, default: 30}}
          schemas:
            repository:
              type: object
              properties:
                owner: {$ref: '#/components/schemas/user'}
                name: {type: string}
                id: {type: integer}
                parent: {$ref: '#/components/schemas/repository'}
            issue:
              allOf:
                - {type: object, properties: {id: {type: integer}, number: {type: integer}}}
                - {type: object, properties: {title: {type: string}, created_at: {type: string, format: date-time}}}
            user: {type: object, properties: {login: {type: string}, id: {type: integer}}}
        """

    /// As Stripe has it: the last item's id, and a flag.
    static let keyset = """
        {"openapi": "3.0.0", "servers": [{"url": "https://api.example.com/"}],
         "security": [{"bearerAuth": []}],
         "components": {"securitySchemes": {"bearerAuth": {"type": "http", "scheme": "bearer"}},
           "schemas": {
             "charge": {"type": "object", "required": ["amount", "id"], "properties": {
               "amount": {"type": "integer"}, "customer": {"anyOf": [{"type": "string"}, {"$ref": "#/components/schemas/customer"}]},
               "id": {"type": "string"}, "refunds": {"type": "object", "properties": {"data": {"type": "array", "items": {"type": "object"}}}}}},
             "customer": {"type": "object", "properties": {"id": {"type": "string"},
               "charge": {"$ref": "#/components/schemas/charge"}}}}},
         "paths": {
           "/v1/charges": {"get": {"parameters": [
               {"name": "ending_before", "in": "query", "schema": {"type": "string"}},
               {"name": "limit", "in": "query", "description": "A limit. It can range between 1 and 100.", "schema": {"type": "integer"}},
               {"name": "starting_after", "in": "query", "schema": {"type": "string"}}],
             "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": {
               "object": {"type": "string", "enum": ["list"]}, "url": {"type": "string"}, "has_more": {"type": "boolean"},
               "data": {"type": "array", "items": {"$ref": "#/components/schemas/charge"}}}}}}}}}},
           "/v1/charges/search": {"get": {"parameters": [
               {"name": "query", "in": "query", "required": true, "schema": {"type": "string"}},
               {"name": "page", "in": "query", "schema": {"type": "string"}}],
             "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": {
               "next_page": {"type": "string", "nullable": true}, "has_more": {"type": "boolean"},
               "data": {"type": "array", "items": {"$ref": "#/components/schemas/charge"}}}}}}}}}},
           "/v1/charges/{charge}": {"get": {"responses": {"200": {"content": {"application/json": {"schema":
             {"$ref": "#/components/schemas/charge"}}}}}}}}}
        """

    /// As Kubernetes has it: Swagger 2 without a host, and `continue`.
    static let continued = """
        {"swagger": "2.0", "security": [{"BearerToken": []}],
         "securityDefinitions": {"BearerToken": {"type": "apiKey", "in": "header", "name": "authorization"}},
         "paths": {"/api/v1/namespaces/{namespace}/pods": {"get": {
           "parameters": [{"name": "continue", "in": "query", "type": "string"}, {"name": "limit", "in": "query", "type": "integer"}],
           "responses": {"200": {"schema": {"$ref": "#/definitions/PodList"}}}},
           "parameters": [{"name": "namespace", "in": "path", "required": true, "type": "string"}]},
          "/api/v1/namespaces": {"get": {"responses": {"200": {"schema": {"$ref": "#/definitions/PodList"}}}}}},
         "definitions": {
           "PodList": {"type": "object", "required": ["items"], "properties": {
             "apiVersion": {"type": "string"}, "kind": {"type": "string"},
             "items": {"type": "array", "items": {"$ref": "#/definitions/Pod"}}, "metadata": {"$ref": "#/definitions/ListMeta"}}},
           "Pod": {"type": "object", "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"},
             "metadata": {"type": "object", "properties": {"name": {"type": "string"}, "uid": {"type": "string"}}},
             "spec": {"type": "object", "properties": {"containers": {"type": "array", "items": {"type": "object"}}}}}},
           "ListMeta": {"type": "object", "properties": {"continue": {"type": "string"}, "remainingItemCount": {"type": "integer"}}}}}
        """

    /// As Gitea has it: Swagger 2 with numbered pages of a plain list.
    static let numbered = """
        swagger: "2.0"
        host: git.example.com
        basePath: /api/v1
        schemes: [https, http]
        securityDefinitions:
          BasicAuth: {type: basic}
          Token: {type: apiKey, in: query, name: token}
          AuthorizationHeaderToken: {type: apiKey, in: header, name: Authorization}
        security: [{BasicAuth: []}, {Token: []}, {AuthorizationHeaderToken: []}]
        paths:
          /orgs:
            get:
              parameters:
                - {name: page, in: query, type: integer}
                - {name: limit, in: query, type: integer, maximum: 50}
              responses: {"200": {$ref: "#/responses/OrgList"}}
          /orgs/{org}/repos:
            get:
              parameters:
                - {name: org, in: path, required: true, type: string}
                - {name: page, in: query, description: "page number of results to return (1-based)", type: integer}
              responses: {"200": {$ref: "#/responses/OrgList"}}
          /orgs/{id}/teams:
            get:
              parameters:
                - {name: page, in: query, description: "The page index, provided by the API", type: integer}
              responses: {"200": {$ref: "#/responses/OrgList"}}
          /elsewhere:
            get: {responses: {"200": {schema: {$ref: "other.yaml#/List"}}}}
        responses:
          OrgList: {description: "", schema: {type: array, items: {$ref: "#/definitions/Org"}}}
        definitions:
          Org: {type: object, properties: {avatar_url: {type: string}, id: {type: integer, format: int64}, name: {type: string}}}
        """

    /// As Google has it: a page token, and OAuth 2 with a client's own credentials.
    static let token = """
        openapi: 3.1.0
        servers: [{url: "https://{region}.example.com/v3", variables: {region: {default: eu, enum: [eu, us]}}}]
        security: [{Oauth2: [files.read]}]
        components:
          securitySchemes:
            Oauth2:
              type: oauth2
              flows: {clientCredentials: {tokenUrl: /oauth/token, scopes: {files.read: ""}}}
        paths:
          /files:
            get:
              parameters:
                - {name: pageSize, in: query, schema: {type: integer, minimum: 1, maximum: 1000}}
                - {name: pageToken, in: query, schema: {type: string}}
              responses:
                "200":
                  content:
                    application/json; charset=utf-8:
                      schema:
                        type: object
                        properties:
                          kind: {type: string}
                          nextPageToken: {type: [string, "null"]}
                          files:
                            type: array
                            items: {type: object, properties: {kind: {type: string}, id: {type: string}, size: {type: string}}}
        """

    /// As JSON:API has it: `links.next`, and columns inside `attributes`.
    static let links = """
        openapi: 3.0.0
        paths:
          /articles:
            get:
              parameters:
                - {name: "page[number]", in: query, schema: {type: integer}}
                - {name: "page[size]", in: query, schema: {type: integer, maximum: 50}}
              responses:
                default:
                  content:
                    application/vnd.api+json:
                      schema:
                        type: object
                        properties:
                          jsonapi: {type: object, properties: {version: {type: string}}}
                          data:
                            type: array
                            items:
                              type: object
                              properties:
                                type: {type: string}
                                id: {type: string}
                                attributes: {type: object, properties: {title: {type: string}, words: {type: integer}}}
                          included: {type: array, items: {type: object, properties: {id: {type: string}}}}
                          links: {type: object, properties: {self: {type: string}, next: {type: string, nullable: true}}}
                          meta: {type: object, properties: {total: {type: integer}}}
        """

    /// As OData has it: `@odata.nextLink`.
    static let linked = """
        openapi: 3.0.1
        servers: [{url: "https://odata.example.com/v4"}]
        paths:
          /People:
            get:
              parameters:
                - {name: $top, in: query, schema: {type: integer}}
                - {name: $skip, in: query, schema: {type: integer}}
              responses:
                2XX:
                  content:
                    application/json;odata.metadata=minimal:
                      schema:
                        type: object
                        properties:
                          value: {type: array, items: {type: object, properties: {UserName: {type: string}, ID: {type: integer}}}}
                          "@odata.nextLink": {type: string}
                          "@odata.count": {type: integer}
        """
}
