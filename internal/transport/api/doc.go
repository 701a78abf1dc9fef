// Package api is the HTTP transport of the service: the endpoints under /v1 and the OpenAPI document that describes
// them.
//
// Handlers translate and do not decide. Each request takes one path: the headers of every answer are set, a key in the
// address is refused, the route is found, the key in the header is identified, the Service admits the caller, and only
// then is the body read, once, as it arrives. The decoded input goes to one method of the Service, and its result is
// encoded. A rule that another transport would need as well belongs to package publish.
//
// The table in routes.go is the only list of endpoints. Routing, the Allow header, the hint of a 404, the access tests
// and the comparison with openapi.yaml all read it.
package api
