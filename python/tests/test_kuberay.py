"""The manifest is one that KubeRay accepts, and what it starts is a command that is there."""

import re
import shlex
from pathlib import Path

import yaml

FILE = Path(__file__).parents[1] / "cluster" / "kuberay.yaml"
#: What the operator's definitions require, and what else they know of what is used here (ray.io/v1).
JOB = {"entrypoint", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "backoffLimit", "rayClusterSpec"}
CLUSTER = {"rayVersion", "enableInTreeAutoscaling", "headGroupSpec", "workerGroupSpecs"}
HEAD = {"rayStartParams", "template", "serviceType"}
WORKERS = {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"}


def pods():
    job, _ = yaml.safe_load_all(FILE.read_text())
    cluster = job["spec"]["rayClusterSpec"]
    return [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]


def test_it_has_what_the_operator_requires_and_nothing_that_it_does_not_know():
    job, claim = yaml.safe_load_all(FILE.read_text())
    assert (job["apiVersion"], job["kind"], claim["kind"]) == ("ray.io/v1", "RayJob", "PersistentVolumeClaim")
    # Names become those of hosts.
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]{0,45}[a-z0-9])?", job["metadata"]["name"])
    cluster = job["spec"]["rayClusterSpec"]
    assert set(job["spec"]) <= JOB and {"entrypoint", "rayClusterSpec"} <= set(job["spec"])
    assert set(cluster) <= CLUSTER and set(cluster["headGroupSpec"]) <= HEAD
    for group in cluster["workerGroupSpecs"]:
        assert set(group) <= WORKERS and {"groupName", "rayStartParams", "template"} <= set(group)
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]


def test_every_pod_can_be_placed_and_has_the_same_image():
    images = set()
    for group in pods():
        # Values are handed to `ray start` as text.
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        spec = group["template"]["spec"]
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        for container in spec["containers"]:
            images.add(container["image"])
            # The autoscaler goes by requests, and Ray by limits.
            assert container["resources"]["requests"] == container["resources"]["limits"]
            assert {mount["name"] for mount in container.get("volumeMounts", [])} <= volumes
    assert len(images) == 1


def test_the_command_is_one_that_is_there(monkeypatch, tmp_path):
    from proscenium import _cluster, _command

    job, _ = yaml.safe_load_all(FILE.read_text())
    name, *arguments = shlex.split(job["spec"]["entrypoint"])
    assert name == "proscenium-cluster"
    seen = {}

    def direct(scene, want, **options):
        seen.update(options, want=want)
        raise KeyboardInterrupt

    monkeypatch.setattr(_cluster, "direct", direct)
    assert _command.main(arguments) == 130
    assert seen["cluster"] == "ray" and seen["want"] == "die-1 shows 6, die-2 shows 6" and seen["samples"] == 100
