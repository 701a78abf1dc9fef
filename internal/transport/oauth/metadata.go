package oauth

import (
	"encoding/json"
	"net/http"

	"sandlot"
	"sandlot/internal/domain/account/oauth"
)

// The grant types of the token endpoint.
const (
	codeGrant    = "authorization_code"
	refreshGrant = "refresh_token"
	deviceGrant  = "urn:ietf:params:oauth:grant-type:device_code"
)

var scopes = []string{oauth.ScopeAccount, oauth.ScopeProject}

// server returns the metadata of the authorization server (RFC 8414).
func server(p sandlot.Places) map[string]any {
	base := p.Base.String()
	return map[string]any{
		"issuer":                                oauth.Issuer(p),
		"authorization_endpoint":                base + authorizePath,
		"token_endpoint":                        base + tokenPath,
		"device_authorization_endpoint":         base + devicePath,
		"registration_endpoint":                 base + registerPath,
		"revocation_endpoint":                   base + revokePath,
		"response_types_supported":              []string{"code"},
		"response_modes_supported":              []string{"query"},
		"grant_types_supported":                 []string{codeGrant, refreshGrant, deviceGrant},
		"code_challenge_methods_supported":      []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"},
		// Without it, RFC 8414 would have clients authenticate with a secret.
		"revocation_endpoint_auth_methods_supported":     []string{"none"},
		"scopes_supported":                               scopes,
		"authorization_response_iss_parameter_supported": true,
		"client_id_metadata_document_supported":          true,
		"service_documentation":                          base + "/docs/agents",
	}
}

// resource returns the metadata of the protected resource (RFC 9728).
func resource(p sandlot.Places) map[string]any {
	return map[string]any{
		"resource":                 oauth.Resource(p),
		"authorization_servers":    []string{oauth.Issuer(p)},
		"bearer_methods_supported": []string{"header"},
		"scopes_supported":         scopes,
		"resource_documentation":   p.Base.String() + "/docs/agents",
	}
}

// document returns the function that answers metadata, which caches may keep for an hour.
func document(members map[string]any) func(*call) error {
	text, err := json.MarshalIndent(members, "", "  ")
	if err != nil {
		panic(err) // texts and lists always encode
	}
	return func(c *call) error {
		c.w.Header().Set("Cache-Control", "public, max-age=3600")
		c.send(http.StatusOK, text)
		return nil
	}
}
