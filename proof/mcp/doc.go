// Package mcp proves the tools from outside: the official clients of the Model Context Protocol hold the conversation of an agent with the
// real program, and requests that other clients were seen to send, and hostile ones, are sent as they are. It has tests alone.
package mcp
