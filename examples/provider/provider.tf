terraform {
  required_providers {
    cidrplan = {
      source = "cidrplan/cidrplan"
    }
  }
}

provider "cidrplan" {}
