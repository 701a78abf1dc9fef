// Package cluster has the test of several nodes as one service: three real programs on one PostgreSQL, one S3-compatible store and one
// Redis, behind a proxy that takes turns, under load from clients who write down what they were answered, while nodes and servers fail.
//
// The whole run is drawn from a seed, which it prints; SANDLOT_TEST_SEED repeats it and SANDLOT_TEST_CLUSTER_FOR lets it last longer:
//
//	SANDLOT_TEST_CLUSTER_FOR=10m scripts/servers go test ./proof/cluster -v -timeout 20m
package cluster
