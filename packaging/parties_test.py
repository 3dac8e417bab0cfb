"""What packaging/parties gives to operators of parties: every command in it is one that tacet takes, as it is
written, for a program and a workspace like those that the files describe."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import yaml

FOLDER = pathlib.Path(__file__).parent / "parties"
TACET = os.environ.get("TACET", "")
PROGRAM = """#version 0.1.0

party alice
party bob

fn(mpc) richer(a: secret i64 from alice, b: secret i64 from bob) -> bool { reveal(a > b) }
"""
NAMES = ["alice", "bob", "carol"]


def make_workspace(folder: pathlib.Path):
    """What all parties share."""
    folder.mkdir()
    (folder / "richer.tacet").write_text(PROGRAM)
    tables = [f'[[mpc.party]]\nname = "{name}"\naddress = "{name}:7001"\ncertificate = "{name}.crt"\n' for name in NAMES]
    (folder / "tacet.toml").write_text("\n".join(tables))
    for name in NAMES:
        subprocess.run([TACET, "party", "keygen", name], cwd=folder, check=True, capture_output=True)
        (folder / f"{name}.key").unlink()


@unittest.skipUnless(TACET, "needs the program: TACET=PATH")
class Commands(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        make_workspace(self.folder / "workspace")

    def tearDown(self):
        shutil.rmtree(self.folder)

    def take(self, command: list):
        """The command as a plan, which meets nobody and reads no secret."""
        self.assertEqual(command[:2], ["party", "run"])
        command = [re.sub(r"(/var/lib/tacet(/\w+)?|/own)/", f"{self.folder}/", argument) for argument in command]
        planned = subprocess.run([TACET, *command, "--plan"], cwd=self.folder / "workspace", capture_output=True, text=True)
        self.assertEqual(planned.returncode, 0, f"{command}: {planned.stderr}")
        self.assertIn("all parties learn it", planned.stdout)

    def test_units(self):
        for unit in ["tacet-party@.service", "tacet-run@.service"]:
            text = (FOLDER / unit).read_text()
            (line,) = re.findall(r"^ExecStart=/usr/bin/tacet (.*)$", text, re.M)
            for name, arguments in [("alice", "--input a=@/var/lib/tacet/alice/a.json"), ("carol", "")]:
                line_of_party = line.replace("%i", name).replace("${PROGRAM}", "richer.tacet")
                self.take(shlex.split(line_of_party.replace("$ARGUMENTS", arguments)))
            self.assertIn("User=tacet\n", text)
        self.assertIn("OnCalendar=", (FOLDER / "tacet-run@.timer").read_text())

    def test_compose(self):
        services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
        self.assertEqual(list(services), NAMES)
        for name, service in services.items():
            self.take(service["command"])
            self.assertIn(name, service["command"])
            self.assertTrue(service["read_only"])
            self.assertIn(f"./{name}:/own", service["volumes"])

    def pod_of(self, kind: str, document: dict) -> dict:
        spec = document["spec"]
        return (spec["jobTemplate"]["spec"] if kind == "CronJob" else spec)["template"]["spec"]

    def check_pod(self, pod: dict, name: str):
        (container,) = pod["containers"]
        names = {"PROGRAM": "richer.tacet", "PARTY": name}
        self.take([re.sub(r"\$\((\w+)\)", lambda found: names[found[1]], argument) for argument in container["args"]])
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, {volume["name"] for volume in pod["volumes"]})
        self.assertTrue(pod["securityContext"]["runAsNonRoot"])
        # The image's user, who is in the group that may read the key.
        image = (FOLDER.parent / "Containerfile").read_text()
        user, group = re.search(r"^USER (\d+):(\d+)$", image, re.M).groups()
        self.assertEqual(pod["securityContext"]["runAsUser"], int(user))
        self.assertEqual(pod["securityContext"]["fsGroup"], int(group))

    def test_kubernetes_pods(self):
        for path, kind, name in [("base/party.yaml", "Deployment", "carol"), ("alice/run.yaml", "CronJob", "alice")]:
            documents = yaml.safe_load_all((FOLDER / "kubernetes" / path).read_text())
            (document,) = [each for each in documents if each["kind"] == kind]
            self.check_pod(self.pod_of(kind, document), name)

    @unittest.skipUnless(shutil.which("kubectl"), "needs kubectl")
    def test_kubernetes_as_it_is_applied(self):
        shutil.copytree(FOLDER / "kubernetes", self.folder / "kubernetes")
        for name in NAMES:
            organisation = self.folder / "kubernetes" / name
            shutil.copytree(self.folder / "workspace", organisation / "workspace")
            (organisation / "own").mkdir()
            for file in [f"{name}.key", f"{name}.allowed", "a.json", "b.json"]:
                (organisation / "own" / file).write_text("5\n")
            built = subprocess.run(["kubectl", "kustomize", organisation], check=True, capture_output=True, text=True)
            documents = {each["kind"]: each for each in yaml.safe_load_all(built.stdout)}
            kind = "CronJob" if name == "alice" else "Deployment"
            self.assertEqual({"CronJob", "Deployment"} & set(documents), {kind})
            pod = self.pod_of(kind, documents[kind])
            self.check_pod(pod, name)
            self.assertEqual("--input" in pod["containers"][0]["args"], name != "carol")


class Files(unittest.TestCase):
    def test_kustomizations_name_files_that_are_there(self):
        for path in FOLDER.glob("kubernetes/*/kustomization.yaml"):
            kustomization = yaml.safe_load(path.read_text())
            for resource in kustomization["resources"]:
                self.assertTrue((path.parent / resource).exists(), f"{path}: {resource}")


if __name__ == "__main__":
    unittest.main()
