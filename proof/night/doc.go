// Package night measures the defence of a public instance against phishing while nobody is awake. Its tests run the real services, the HTTP
// handlers of calls and of published pages, and the play-tester with Chromium, on a clock that moves through a weekend: a Friday evening
// on which crews publish phishing pages among honest makers, 60 hours of visitors and reports, and the Monday of one moderator.
// docs/security.md has the figures.
package night
