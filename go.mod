module github.com/coctostan/pictx

go 1.26
