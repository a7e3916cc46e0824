// Package code is what an agent may ask about the source code of its project, and
// what is done before it is answered: a question is read within its caps, the
// first index needs consent, an answer keeps to a budget, and a prompt that names
// files brings a briefing on them.
//
// It must not know how the code is indexed, nor which events and dialogs carry
// questions and answers: it asks the ports of a Project, and its callers translate.
package code
