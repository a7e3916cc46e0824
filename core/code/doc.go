// Package code is what an agent may ask about the source code of its project, and the rules
// around it: questions have caps, the first index needs consent, answers keep to a budget, and a
// prompt that names files gets a briefing on them.
//
// It must not know how code is indexed, nor which events and dialogs carry questions and answers.
// It asks the ports of a Project; its callers translate. Start reading at Project.Answer and
// NewQuestion.
package code
