"""The list of what packages contain, in the format SPDX 2.3."""

import re
import time
import uuid

import components as parts

NAMESPACE = uuid.UUID("6b1b7f6e-2f0c-5f55-9d3a-0d2a4c2f8f11")
ID = re.compile(r"SPDXRef-[A-Za-z0-9.-]+")
EXPRESSION = re.compile(r"[A-Za-z0-9.+-]+|\(|\)")
RELATIONSHIPS = {"DESCRIBES", "CONTAINS", "DEPENDS_ON"}


def identifier(*words: str) -> str:
    return "SPDXRef-" + "-".join(re.sub(r"[^A-Za-z0-9.]+", "-", word).strip("-") for word in words)


def package(component: parts.Component) -> dict:
    return {
        "SPDXID": identifier(component.kind, component.name, component.version),
        "name": component.name,
        "versionInfo": component.version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": component.licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": component.purl()}],
    }


def artefact(name: str, version: str, digest: str, licence: str) -> dict:
    return {
        "SPDXID": identifier("File", name),
        "name": name,
        "versionInfo": version,
        "packageFileName": name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }


def document(version: str, contents: dict, date: int) -> dict:
    """The document for artefacts: by name, the digest and the components."""
    packages, relationships = {}, []

    def relate(one: str, kind: str, other: str) -> None:
        relationships.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    for name, (digest, components) in sorted(contents.items()):
        made = artefact(name, version, digest, "Apache-2.0")
        packages[made["SPDXID"]] = made
        relate("SPDXRef-DOCUMENT", "DESCRIBES", made["SPDXID"])
        for component in sorted(components):
            part = package(component)
            packages[part["SPDXID"]] = part
            relate(made["SPDXID"], "CONTAINS" if component.is_inside else "DEPENDS_ON", part["SPDXID"])
    summary = "\n".join(f"{name} {digest}" for name, (digest, _) in sorted(contents.items()))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tacet-{version}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(NAMESPACE, summary)}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(date)),
                         "creators": ["Tool: tacet-packaging"]},
        "packages": [packages[key] for key in sorted(packages)],
        "relationships": relationships,
    }


def problems(found: dict):
    """What SPDX 2.3 requires and the document lacks."""
    required = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT"}
    for key, value in required.items():
        if found.get(key) != value:
            yield f"{key} is not {value}"
    if not found.get("name"):
        yield "no name"
    if not re.fullmatch(r"[a-z][a-z0-9+.-]*:[^\s#]+", found.get("documentNamespace", "")):
        yield "documentNamespace is not a URI without a fragment"
    info = found.get("creationInfo", {})
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", info.get("created", "")):
        yield "created is not a date in UTC"
    if not info.get("creators") or not all(re.match(r"(Person|Organization|Tool): \S", one) for one in info["creators"]):
        yield "no creators"
    ids = {"SPDXRef-DOCUMENT"}
    for one in found.get("packages", []):
        name = one.get("name") or "a package without a name"
        yield from (f"{name}: {problem}" for problem in package_problems(one))
        if one.get("SPDXID") in ids:
            yield f"{name}: its SPDXID is that of another"
        ids.add(one.get("SPDXID"))
    described = set()
    for one in found.get("relationships", []):
        ends = (one.get("spdxElementId"), one.get("relatedSpdxElement"))
        if one.get("relationshipType") not in RELATIONSHIPS or not set(ends) <= ids:
            yield f"a relationship of elements that do not exist, or of an unknown type: {one}"
        if one.get("relationshipType") == "DESCRIBES":
            described.add(ends[1])
    if not described:
        yield "the document describes nothing"


def package_problems(one: dict):
    if not one.get("name"):
        yield "no name"
    if not ID.fullmatch(one.get("SPDXID", "")):
        yield "its SPDXID has other characters than letters, digits, periods and hyphens"
    if not one.get("downloadLocation"):
        yield "no downloadLocation"
    if one.get("filesAnalyzed", True):
        yield "says that its files were analysed, but has no packageVerificationCode"
    if not is_licence(one.get("licenseDeclared", "NOASSERTION")):
        yield f"licenseDeclared is not an expression: {one['licenseDeclared']}"
    for checksum in one.get("checksums", []):
        if checksum.get("algorithm") != "SHA256" or not re.fullmatch(r"[0-9a-f]{64}", checksum.get("checksumValue", "")):
            yield "its checksum is not one of SHA256"
    for reference in one.get("externalRefs", []):
        if not {"referenceCategory", "referenceType", "referenceLocator"} <= set(reference):
            yield "an external reference lacks its category, type or locator"


def is_licence(expression: str) -> bool:
    """Whether the expression has the form of SPDX: names, AND, OR, WITH, parentheses."""
    if expression in ("NOASSERTION", "NONE"):
        return True
    tokens = EXPRESSION.findall(expression)
    if "".join(tokens) != re.sub(r"\s", "", expression):
        return False
    depth, wants_name = 0, True
    for token in tokens:
        if token == "(" and wants_name:
            depth += 1
        elif token == ")" and not wants_name and depth > 0:
            depth -= 1
        elif token in ("AND", "OR", "WITH") and not wants_name:
            wants_name = True
        elif token not in ("(", ")", "AND", "OR", "WITH") and wants_name:
            wants_name = False
        else:
            return False
    return depth == 0 and not wants_name
