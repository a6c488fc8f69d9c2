// A walk around corners.

type Corner = [x: number, z: number];

/** Before a corner the look turns for so long, m. */
const TURN = 8;

/** A place on the walk, and the direction there. */
export function along(corners: Corner[], distance: number): { x: number; z: number; heading: number } {
  const corner = (index: number): Corner => corners[index % corners.length] ?? [0, 0];
  const sides = corners.map((from, index) => ({ from, to: corner(index + 1), next: corner(index + 2), length: apart(from, corner(index + 1)) }));
  const length = sides.reduce((sum, side) => sum + side.length, 0);
  let left = length > 0 ? distance % length : 0;
  for (const side of sides) {
    if (left <= side.length && side.length > 0) {
      const { from, to, next } = side;
      const share = left / side.length;
      const heading = direction(from, to);
      const turn = Math.max(0, 1 - (side.length - left) / TURN) * turned(direction(to, next) - heading);
      return { x: from[0] + (to[0] - from[0]) * share, z: from[1] + (to[1] - from[1]) * share, heading: heading + turn };
    }
    left -= side.length;
  }
  const [x, z] = corner(0);
  return { x, z, heading: 0 };
}

function apart(a: Corner, b: Corner): number {
  return Math.hypot(b[0] - a[0], b[1] - a[1]);
}

function direction(a: Corner, b: Corner): number {
  return Math.atan2(b[1] - a[1], b[0] - a[0]);
}

/** The same angle, from −π to π. */
function turned(angle: number): number {
  return Math.atan2(Math.sin(angle), Math.cos(angle));
}
