// Package gallery holds the public side of the service: lists of projects, profiles and project pages; likes, plays and
// current players; and the daily plays that owners see.
//
// [Service] decides which projects a caller sees; it takes records from its [Store] and projects from publish.
// [Counters] counts plays in memory and writes them every two seconds; it also gives publish the numbers of a project.
//
// On a public instance a list holds only projects of accounts with a verified address, and one network adds only a
// limited number to the plays, likes and players of one project. Requests beyond that limit are served but not counted.
package gallery
