// Package judge has new versions of accounts without a verified address judged by a program or a service of the operator.
//
// A verdict comes after the publish: nothing waits for it. Whatever a judge reads of a project was written by strangers,
// and is sent as data; the answer of a judge is read as one of three words and a reason, whatever else it says.
package judge
