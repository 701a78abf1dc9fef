// Package gallery is what everybody sees and plays: the lists of projects, profiles and the page of a project; likes, plays and who is
// playing now; and the plays by day that owners see.
//
// [Service] decides who sees what, and asks its [Store] for records and publish for projects. [Counters] counts plays in memory and
// writes them every two seconds; it also tells publish the numbers of a project.
//
// On a public instance a list has only projects of accounts with a verified address, and one network adds only so much to the plays,
// likes and players of one project. What is beyond that is served and not counted.
package gallery
