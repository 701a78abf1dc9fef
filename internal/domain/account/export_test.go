package account

// What the tests of the package's outside see of its inside.
var HashCode = hashCode
