import Testing
import Text

@Suite("The name of a secret") struct SecretNameTests {
    @Test(
        "The name of a secret is recognised however its words are joined",
        arguments: [
            "api_key", "apikey", "apiKey", "API-Key", "X-Api-Key", "APIKEY", "api.key", "key", "KEY", "X-Key", "sig",
            "Sig",
            "jwt", "signature", "X-Amz-Signature", "X-Amz-Security-Token", "X-Amz-Credential", "token", "access_token",
            "accessToken", "accesstoken", "X-Auth-Token", "private_token", "client_secret", "clientSecret", "password",
            "user_password", "passwd", "auth", "Authorization", "Proxy-Authorization", "Cookie", "session_id",
            "sessionId",
            "JSESSIONID", "Ocp-Apim-Subscription-Key", "aws_secret_access_key", "refresh_token", "webhook-secret",
        ])
    func secret(name: String) {
        #expect(SecretName.matches(name))
    }

    @Test(
        "A name that only looks like a secret's is none",
        arguments: [
            "", "q", "author", "authors", "keyword", "keywords", "sort_key", "start_key", "monkey", "tokenize",
            "page_token",
            "pageToken", "nextPageToken", "next_token", "continuation_token", "sync_token", "secretary", "design",
            "session", "Accept", "page", "signal", "assignee", "per_page", "passengers",
        ])
    func open(name: String) {
        #expect(!SecretName.matches(name))
    }
}
