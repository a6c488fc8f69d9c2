// Many of one mesh, as many as there are in a frame.

import { type BufferGeometry, type Color, Group, InstancedMesh, type Material, type Matrix4 } from "three";

/** Instances of a mesh, whose number may grow. */
export class Instances extends Group {
  #geometry: BufferGeometry;
  #material: Material;
  #mesh: InstancedMesh | undefined;
  #count = 0;
  #kept: { matrices: Matrix4[]; colours: (Color | undefined)[] } = { matrices: [], colours: [] };

  constructor(geometry: BufferGeometry, material: Material) {
    super();
    this.#geometry = geometry;
    this.#material = material;
  }

  /** Begins a frame without any. */
  begin(): void {
    this.#count = 0;
  }

  /** One more, there, in this colour. */
  push(matrix: Matrix4, colour?: Color): void {
    const { matrices, colours } = this.#kept;
    matrices[this.#count] = (matrices[this.#count] ?? matrix.clone()).copy(matrix);
    colours[this.#count] = colour;
    this.#count += 1;
  }

  /** Ends a frame. */
  end(): void {
    const { matrices, colours } = this.#kept;
    if (!this.#mesh || this.#mesh.instanceMatrix.count < this.#count) {
      this.#mesh?.dispose();
      this.clear();
      this.#mesh = new InstancedMesh(this.#geometry, this.#material, Math.max(16, 2 * this.#count));
      this.#mesh.castShadow = true;
      this.#mesh.receiveShadow = true;
      // What is in view is known already.
      this.#mesh.frustumCulled = false;
      this.add(this.#mesh);
    }
    const mesh = this.#mesh;
    mesh.count = this.#count;
    for (let index = 0; index < this.#count; index += 1) {
      const [matrix, colour] = [matrices[index], colours[index]];
      if (matrix) mesh.setMatrixAt(index, matrix);
      if (colour) mesh.setColorAt(index, colour);
    }
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }

  /** Gives back what the graphics card holds. */
  dispose(): void {
    this.#mesh?.dispose();
    this.#geometry.dispose();
    this.#material.dispose();
  }
}
