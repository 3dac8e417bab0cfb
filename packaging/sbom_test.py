"""The list of contents has what SPDX 2.3 requires, and a document that lacks it is found."""

import copy
import json
import unittest

import sbom
from components import Component

OPENSSL = Component("deb", "openssl", "3.0.22-1~deb12u2", "Apache-2.0", "text")
GLIBC = Component("deb", "glibc", "2.36-9", "LGPL-2.1-or-later", "text", is_inside=False)
CLIENT = Component("npm", "@scope/client", "1.0.0", "MIT", "text")
CONTENTS = {"tacet.tar.xz": ("a" * 64, {OPENSSL, CLIENT}), "tacet.deb": ("b" * 64, {OPENSSL, GLIBC})}


def made() -> dict:
    return sbom.document("0.1.0", CONTENTS, 1_700_000_000)


class Sbom(unittest.TestCase):
    def test_the_document_is_complete(self):
        self.assertEqual(list(sbom.problems(made())), [])

    def test_the_same_contents_give_the_same_text(self):
        again = {name: (digest, set(reversed(sorted(parts)))) for name, (digest, parts) in reversed(CONTENTS.items())}
        self.assertEqual(json.dumps(made()), json.dumps(sbom.document("0.1.0", again, 1_700_000_000)))

    def test_other_contents_have_another_namespace(self):
        other = sbom.document("0.1.0", {"tacet.deb": ("c" * 64, set())}, 1_700_000_000)
        self.assertNotEqual(made()["documentNamespace"], other["documentNamespace"])

    def test_each_artefact_is_related_to_its_parts(self):
        names = {one["SPDXID"]: one["name"] for one in made()["packages"]}
        found = {(names.get(one["spdxElementId"], ""), one["relationshipType"], names[one["relatedSpdxElement"]])
                 for one in made()["relationships"]}
        self.assertEqual(found, {
            ("", "DESCRIBES", "tacet.tar.xz"), ("", "DESCRIBES", "tacet.deb"),
            ("tacet.tar.xz", "CONTAINS", "openssl"), ("tacet.tar.xz", "CONTAINS", "@scope/client"),
            ("tacet.deb", "CONTAINS", "openssl"), ("tacet.deb", "DEPENDS_ON", "glibc")})

    def test_parts_have_names_for_scanners(self):
        found = {ref["referenceLocator"] for one in made()["packages"] for ref in one.get("externalRefs", [])}
        self.assertEqual(found, {"pkg:deb/debian/openssl@3.0.22-1~deb12u2?arch=source",
                                 "pkg:deb/debian/glibc@2.36-9?arch=source", "pkg:npm/%40scope/client@1.0.0"})

    def test_what_is_missing_is_found(self):
        def without(change) -> list:
            document = copy.deepcopy(made())
            change(document)
            return list(sbom.problems(document))

        for key in ("spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo"):
            self.assertTrue(without(lambda one, key=key: one.pop(key)), key)
        for key in ("name", "SPDXID", "downloadLocation", "filesAnalyzed"):
            self.assertTrue(without(lambda one, key=key: one["packages"][0].pop(key)), key)
        for key, value in (("SPDXID", "SPDXRef-a b"), ("licenseDeclared", "MIT AND"),
                           ("checksums", [{"algorithm": "SHA256", "checksumValue": "12"}])):
            self.assertTrue(without(lambda one, key=key, value=value: one["packages"][0].update({key: value})), key)
        self.assertTrue(without(lambda one: one["relationships"][0].update(relatedSpdxElement="SPDXRef-none")))
        self.assertTrue(without(lambda one: one["packages"].append(one["packages"][0])))
        self.assertTrue(without(lambda one: one["relationships"].clear()))
        self.assertTrue(without(lambda one: one["creationInfo"].update(created="2023-11-14 22:13")))

    def test_expressions_of_licences(self):
        for one in ("MIT", "GPL-3.0-or-later WITH GCC-exception-3.1", "(MIT OR Apache-2.0) AND Zlib", "NOASSERTION"):
            self.assertTrue(sbom.is_licence(one), one)
        for one in ("", "MIT,", "MIT Zlib", "(MIT", "MIT)", "AND MIT", "MIT OR", "see LICENSE file"):
            self.assertFalse(sbom.is_licence(one), one)


if __name__ == "__main__":
    unittest.main()
