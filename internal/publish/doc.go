// Package publish is the domain of Sandlot: accounts, projects, files,
// versions, keys, uploads, and the rules that hold between them.
//
// A transport (the API, the pages, the content origin) decodes a request, finds
// out who is calling, and calls one method of [Service]. The Service decides;
// a [Store] keeps the records, [Blobs] keeps the bytes, and [Statistics] tells
// the numbers of projects. Data flows one way: nothing in here calls back to a transport, and
// a store decides nothing.
//
// The package knows neither HTTP nor SQL.
package publish
