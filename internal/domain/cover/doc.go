// Package cover gives projects their covers and accounts their portraits: which picture stands for a project,
// made by a worker after each publish, or by its owner's hand, and the bytes of both for the website.
package cover
