package operate_test

import (
	"errors"
	"strings"

	"sandlot"
	"sandlot/internal/testkit/testworld"
)

const page = "<!doctype html><title>Space Cats</title><p>meow"

// large is a page that is not kept inline.
var large = page + strings.Repeat(" meow", testworld.InlineMax)

var errBroken = errors.New("broken")

// byOperator is the operator, whose commands nobody gave a name to.
var byOperator = sandlot.AsOperator("")
