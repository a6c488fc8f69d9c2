// A simulated scene in React Three Fiber: dominoes that fall.
import { Canvas, useFrame } from "@react-three/fiber";
import { simulate } from "proscenium/direct";
import { ClipObject } from "proscenium/three";
import { useEffect, useState } from "react";

/** A built-in scene, simulated in a worker and played. */
function Clip({ scene, seed }: { scene: string; seed: number }) {
  const [clip, setClip] = useState<ClipObject>();
  useEffect(() => {
    const stop = new AbortController();
    let made: ClipObject | undefined;
    simulate({ scene, seed }, { signal: stop.signal })
      .then(async ({ glb }) => {
        made = await ClipObject.of(glb);
        if (stop.signal.aborted) return made.dispose();
        setClip(made);
        document.title = "playing";
      })
      .catch((error: unknown) => {
        if (!stop.signal.aborted) console.error(error);
      });
    return () => {
      stop.abort();
      made?.dispose();
    };
  }, [scene, seed]);
  useFrame(({ clock }) => clip?.at(clock.elapsedTime % (clip.duration + 1)));
  return clip ? <primitive object={clip} /> : null;
}

/** A canvas with the scene and a light. */
export function Throw() {
  return (
    <Canvas shadows camera={{ position: [0.6, 0.5, 0.9], near: 0.01 }}>
      <hemisphereLight intensity={1.4} />
      <directionalLight castShadow position={[2, 4, 1]} intensity={2.6} />
      <Clip scene="dominoes" seed={1} />
    </Canvas>
  );
}
