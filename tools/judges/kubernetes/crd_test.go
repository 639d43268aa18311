// SPDX-License-Identifier: MPL-2.0

package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

// module is where the Go toolchain keeps Cilium's module.
var module = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/cilium/cilium").Output()
	return strings.TrimSpace(string(out)), err
})

// cilium validates an object against a CRD of Cilium, as the API server does: by
// structure, by the rules in CEL, and with fields that it would prune refused.
func cilium(folder, plural string) func([]byte) error {
	return func(text []byte) error {
		var object map[string]any
		if err := yaml.Unmarshal(text, &object); err != nil {
			return err
		}
		apiVersion, _ := object["apiVersion"].(string)
		crd, err := customResource(folder, plural, strings.TrimPrefix(apiVersion, "cilium.io/"))
		if err != nil {
			return err
		}
		return validate(crd, object)
	}
}

// customResource reads the schema of one version of a CRD.
func customResource(folder, plural, version string) (*apiextensions.CustomResourceValidation, error) {
	dir, err := module()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "pkg/k8s/apis/cilium.io/client/crds", folder, plural+".yaml"))
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, err
	}
	for _, v := range crd.Spec.Versions {
		if v.Name != version || !v.Served {
			continue
		}
		var out apiextensions.CustomResourceValidation
		return &out, apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, &out, nil)
	}
	return nil, fmt.Errorf("%s is not served in the version %q", plural, version)
}

func validate(crd *apiextensions.CustomResourceValidation, object map[string]any) error {
	structural, err := schema.NewStructural(crd.OpenAPIV3Schema)
	if err != nil {
		return err
	}
	unknown := pruning.PruneWithOptions(object, structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	if len(unknown) > 0 {
		return fmt.Errorf("unknown fields: %s", strings.Join(unknown, ", "))
	}
	validator, _, err := validation.NewSchemaValidator(crd.OpenAPIV3Schema)
	if err != nil {
		return err
	}
	var errs []error
	for _, problem := range validation.ValidateCustomResource(nil, object, validator) {
		errs = append(errs, problem)
	}
	if rules := cel.NewValidator(structural, true, celconfig.PerCallLimit); rules != nil {
		problems, _ := rules.Validate(context.Background(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
		for _, problem := range problems {
			errs = append(errs, problem)
		}
	}
	return errors.Join(errs...)
}
