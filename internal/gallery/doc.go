// Package gallery is what everybody sees and plays: the lists of projects, profiles and the page of a project; likes, plays and who is
// playing now; and the plays by day that owners see.
//
// [Service] decides who sees what, and asks its [Store] for records and publish for projects. [Counters] holds in memory what is not
// written yet and writes it every two seconds; it is also what tells publish the numbers of a project.
package gallery
