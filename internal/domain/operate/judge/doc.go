// Package judge has new versions judged by a program or a service of the operator.
package judge
