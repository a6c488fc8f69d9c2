//! A picture, pass by pass.

use glam::{DVec3, Vec3};
use proscenium_view::{Camera, Projection};
use proscenium_work::{Progress, Stopped, parallel};

use super::bvh::{Hit, Ray};
use super::filter::{Gathering, REACH};
use super::light::{BLOCK, Lighting, Pattern, sunflower};
use super::shade::{Gathered, Point, Tracer, is_glossy};
use super::tone::{compress, to_srgb};
use crate::look::Look;
use crate::scene::{Floor, Scene};

/// What a ray from the eye meets first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    /// The body, or one of the two below.
    pub(crate) object: u32,
    triangle: u32,
    distance: f32,
    u: f32,
    v: f32,
    pub(crate) position: Vec3,
    pub(crate) normal: Vec3,
    /// Differs where other transparent surfaces lie before it.
    veil: u32,
}

const NOTHING: u32 = u32::MAX;
const GROUND: u32 = u32::MAX - 1;

/// Layers of transparent surfaces that one pixel can show.
const LAYERS: usize = 24;

/// Pixels whose intermediate results are kept at once.
const SLAB: usize = 1 << 22;

impl Probe {
    /// Of a pixel that was not looked through yet.
    const NOWHERE: Self = Self {
        object: NOTHING,
        triangle: 0,
        distance: f32::INFINITY,
        u: 0.0,
        v: 0.0,
        position: Vec3::ZERO,
        normal: Vec3::Y,
        veil: 0,
    };
}

/// Draws a scene to RGBA bytes.
pub(crate) fn draw(scene: &Scene, camera: &Camera, look: &Look, progress: &Progress) -> Result<Vec<u8>, Stopped> {
    draw_in_slabs(scene, camera, look, (SLAB / look.width.max(1) as usize).max(64), progress)
}

fn draw_in_slabs(
    scene: &Scene,
    camera: &Camera,
    look: &Look,
    rows_at_once: usize,
    progress: &Progress,
) -> Result<Vec<u8>, Stopped> {
    let lighting = Lighting::new(look, camera);
    let tracer = Tracer { scene, lighting: &lighting };
    let frame = Frame::new(tracer, camera, look);
    let mut rgba = vec![255; 4 * frame.width * frame.height];
    for (slab, bytes) in rgba.chunks_mut(4 * frame.width * rows_at_once).enumerate() {
        frame.draw_slab(slab * rows_at_once, bytes, progress)?;
    }
    Ok(rgba)
}

/// One value for each place of a rectangle, by its column and row. Rows are
/// worked on side by side, and each asks whether to go on.
fn pass<T: Copy + Send>(
    (width, height): (usize, usize),
    before: T,
    progress: &Progress,
    value: impl Fn(usize, usize) -> T + Send + Sync,
) -> Result<Vec<T>, Stopped> {
    let mut values = vec![before; width * height];
    parallel::try_chunks_mut(&mut values, width, |row, values| {
        progress.check()?;
        values.iter_mut().enumerate().for_each(|(column, place)| *place = value(column, row));
        Ok(())
    })?;
    Ok(values)
}

struct Frame<'a> {
    tracer: Tracer<'a>,
    eye: Eye,
    width: usize,
    height: usize,
    background_top: Vec3,
    background_bottom: Vec3,
    light_samples: Vec<(f32, f32)>,
    edge_samples: Vec<(f32, f32)>,
}

/// Rays through the picture, in the scene's coordinates.
struct Eye {
    position: Vec3,
    /// Half the width and half the height of the picture at distance 1, or
    /// anywhere in parallel projection.
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    perspective: bool,
    near: f32,
    far: f32,
    /// Side of a pixel, likewise.
    pixel: f32,
    /// Two over the width and the height in pixels.
    per_pixel: (f32, f32),
}

impl Eye {
    fn new(camera: &Camera, origin: DVec3, look: &Look) -> Self {
        let axes = camera.axes();
        let (half_width, half_height) = camera.half_extents();
        let (width, height) = (f64::from(look.width), f64::from(look.height));
        Self {
            position: (camera.position - origin).as_vec3(),
            right: (axes.x_axis * half_width).as_vec3(),
            up: (axes.y_axis * half_height).as_vec3(),
            forward: (-axes.z_axis).as_vec3(),
            perspective: matches!(camera.projection, Projection::Perspective { .. }),
            near: camera.near as f32,
            far: camera.far as f32,
            pixel: (2.0 * half_height / height) as f32,
            per_pixel: ((2.0 / width) as f32, (2.0 / height) as f32),
        }
    }

    /// The ray through a place in pixels, from the near plane on, and the
    /// distance to the far plane.
    fn ray(&self, x: f32, y: f32) -> (Ray, f32) {
        let sideways = self.right * (x * self.per_pixel.0 - 1.0) + self.up * (1.0 - y * self.per_pixel.1);
        // A step of `slant` along the ray is a step of 1 into the picture.
        let (origin, direction, slant) = if self.perspective {
            let direction = self.forward + sideways;
            let slant = direction.length();
            (self.position, direction / slant, slant)
        } else {
            (self.position + sideways, self.forward, 1.0)
        };
        (Ray::new(origin + direction * (self.near * slant), direction), (self.far - self.near) * slant)
    }

    /// The size of a pixel at a distance along a ray.
    fn footprint(&self, distance: f32) -> f32 {
        if self.perspective { self.pixel * (distance + self.near) } else { self.pixel }
    }
}

impl<'a> Frame<'a> {
    fn new(tracer: Tracer<'a>, camera: &Camera, look: &Look) -> Self {
        let linear = |color: [f32; 3]| {
            Vec3::from_array(color.map(|x| if x <= 0.04045 { x / 12.92 } else { libm::powf((x + 0.055) / 1.055, 2.4) }))
        };
        let count = look.edge_samples as usize;
        // A lattice of rank one: even in both directions at any count.
        let edge_samples = (0..count)
            .map(|i| {
                let turned = 0.754_877_666_246_692_8 * i as f64 + 0.5;
                (((i as f64 + 0.5) / count as f64) as f32, (turned - libm::floor(turned)) as f32)
            })
            .collect();
        Self {
            tracer,
            eye: Eye::new(camera, tracer.scene.origin, look),
            width: look.width as usize,
            height: look.height as usize,
            background_top: linear(look.background.top),
            background_bottom: linear(look.background.bottom),
            light_samples: sunflower(look.light_samples as usize * BLOCK * BLOCK),
            edge_samples,
        }
    }

    /// Draws some rows. Rows around them are traced again for the filter, so
    /// that the result does not depend on how a picture is cut.
    fn draw_slab(&self, first_row: usize, bytes: &mut [u8], progress: &Progress) -> Result<(), Stopped> {
        let rows = bytes.len() / (4 * self.width);
        let halo = REACH + 1;
        let top = first_row.saturating_sub(halo);
        let bottom = (first_row + rows + halo).min(self.height);
        let size = (self.width, bottom - top);
        let middle = |x: usize, y: usize| (x as f32 + 0.5, (y + top) as f32 + 0.5);

        // Pass 1: what each pixel's middle sees.
        let probes = pass(size, Probe::NOWHERE, progress, |x, y| {
            let (x, y) = middle(x, y);
            self.veiled_probe(x, y)
        })?;
        // Pass 2: what the corners see, to find edges.
        let corners =
            pass((size.0 + 1, size.1 + 1), NOTHING, progress, |x, y| self.first_object(x as f32, (y + top) as f32))?;
        // Pass 3: the light that arrives there.
        let light = pass(size, Gathered::default(), progress, |column, row| {
            let pattern = Pattern::of_pixel(&self.light_samples, column, row + top);
            let (x, y) = middle(column, row);
            self.gather(&probes[row * self.width + column], x, y, pattern)
        })?;
        // Pass 4: the same, smoothed.
        let gathering = Gathering { width: self.width, probes: &probes, light: &light };
        let smooth = pass(size, Gathered::default(), progress, |x, y| self.smooth(&gathering, x, y))?;
        // Pass 5: colours, with more rays along edges.
        let smoothed = Gathering { width: self.width, probes: &probes, light: &smooth };
        parallel::try_chunks_mut(bytes, 4 * self.width, |row, bytes| {
            progress.check()?;
            let y = first_row + row - top;
            for (x, pixel) in bytes.chunks_exact_mut(4).enumerate() {
                let color = if self.is_edge(&probes, &corners, x, y) {
                    self.edge_color(&smoothed, x, y, top)
                } else {
                    let index = y * self.width + x;
                    self.color(&probes[index], &smooth[index], x as f32 + 0.5, (y + top) as f32 + 0.5)
                };
                pixel[..3].copy_from_slice(&to_srgb(color));
            }
            Ok(())
        })
    }

    fn probe(&self, x: f32, y: f32) -> Probe {
        let (ray, to) = self.eye.ray(x, y);
        let floor = self.tracer.floor_distance(&ray);
        let limit = floor.unwrap_or(to).min(to);
        let solid = &self.tracer.scene.solid;
        match (solid.bvh.closest(&ray, 0.0, limit), floor) {
            (Some(hit), _) => {
                let point = Point::on_triangle(self.tracer.scene, solid, &ray, &hit);
                Probe {
                    object: solid.facets[hit.triangle as usize].object,
                    triangle: hit.triangle,
                    distance: hit.distance,
                    u: hit.u,
                    v: hit.v,
                    position: point.position,
                    normal: point.normal,
                    veil: 0,
                }
            }
            (None, Some(distance)) => {
                let (position, normal) = (ray.at(distance), Vec3::Y);
                Probe { object: GROUND, triangle: 0, distance, u: 0.0, v: 0.0, position, normal, veil: 0 }
            }
            (None, None) => {
                let (position, normal) = (Vec3::ZERO, Vec3::Y);
                Probe { object: NOTHING, triangle: 0, distance: to, u: 0.0, v: 0.0, position, normal, veil: 0 }
            }
        }
    }

    /// As `probe`, and what lies before it.
    fn veiled_probe(&self, x: f32, y: f32) -> Probe {
        let mut probe = self.probe(x, y);
        if !self.tracer.scene.clear.bvh.is_empty() {
            let facets = &self.tracer.scene.clear.facets;
            let (ray, _) = self.eye.ray(x, y);
            let mut layers = [None; LAYERS];
            for hit in self.layers(&ray, probe.distance, &mut layers) {
                let facet = &facets[hit.triangle as usize];
                let line = facet.edge_coverage(&hit, self.eye.footprint(hit.distance)) > 0.0;
                probe.veil = probe.veil.wrapping_mul(31).wrapping_add(2 * facet.object + u32::from(line));
            }
        }
        probe
    }

    fn first_object(&self, x: f32, y: f32) -> u32 {
        let (ray, to) = self.eye.ray(x, y);
        let floor = self.tracer.floor_distance(&ray);
        let solid = &self.tracer.scene.solid;
        match solid.bvh.closest(&ray, 0.0, floor.unwrap_or(to).min(to)) {
            Some(hit) => solid.facets[hit.triangle as usize].object,
            None if floor.is_some() => GROUND,
            None => NOTHING,
        }
    }

    /// The transparent surfaces before a distance, nearest first.
    fn layers<'l>(
        &self,
        ray: &Ray,
        to: f32,
        layers: &'l mut [Option<Hit>; LAYERS],
    ) -> impl Iterator<Item = Hit> + use<'l> {
        let clear = &self.tracer.scene.clear;
        let mut count = 0;
        clear.bvh.each(ray, 0.0, to, |hit| {
            let facet = &clear.facets[hit.triangle as usize];
            let hidden = facet.ghost && clear.triangles[hit.triangle as usize].is_seen_from_behind(ray);
            if count < LAYERS && !hidden {
                layers[count] = Some(hit);
                count += 1;
            }
        });
        layers[..count].sort_unstable_by(|a, b| {
            let key = |hit: &Option<Hit>| hit.map_or((f32::INFINITY, 0), |hit| (hit.distance, hit.triangle));
            let (a, b) = (key(a), key(b));
            a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
        });
        layers[..count].iter().copied().flatten()
    }

    fn point(&self, probe: &Probe, ray: &Ray) -> Option<Point> {
        match (probe.object, self.tracer.scene.floor) {
            (NOTHING, _) | (GROUND, None) => None,
            (GROUND, Some(floor)) => Some(Point::on_floor(self.tracer.scene, floor.surface, ray, probe.distance)),
            _ => {
                let hit = Hit { triangle: probe.triangle, distance: probe.distance, u: probe.u, v: probe.v };
                Some(Point::on_triangle(self.tracer.scene, &self.tracer.scene.solid, ray, &hit))
            }
        }
    }

    fn gather(&self, probe: &Probe, x: f32, y: f32, pattern: Pattern<'_>) -> Gathered {
        let (ray, _) = self.eye.ray(x, y);
        match self.point(probe, &ray) {
            Some(_) if probe.object == GROUND && self.ground_fade(probe) <= 0.0 => Gathered::default(),
            Some(point) => self.tracer.gather(&point, pattern),
            None => Gathered::default(),
        }
    }

    fn smooth(&self, gathering: &Gathering<'_>, x: usize, y: usize) -> Gathered {
        let index = y * self.width + x;
        let probe = &gathering.probes[index];
        if probe.object == NOTHING {
            return Gathered::default();
        }
        let footprint = self.eye.footprint(probe.distance);
        let mut smooth = gathering.smooth(x, y, footprint, REACH);
        if probe.object != GROUND {
            let surface = &self.tracer.scene.solid.facets[probe.triangle as usize].surface;
            // A sharp reflection is no noise: it stays almost as it is.
            if is_glossy(surface) && surface.roughness < 0.25 {
                smooth.mirror = gathering.smooth(x, y, footprint, 1).mirror;
            }
        }
        smooth
    }

    /// Whether a pixel shows more than one surface.
    fn is_edge(&self, probes: &[Probe], corners: &[u32], x: usize, y: usize) -> bool {
        let index = y * self.width + x;
        let probe = &probes[index];
        let corner = y * (self.width + 1) + x;
        let around = [corner, corner + 1, corner + self.width + 1, corner + self.width + 2];
        if around.iter().any(|&corner| corners[corner] != probe.object) {
            return true;
        }
        let differs = |other: &Probe| {
            other.veil != probe.veil
                || (other.object == probe.object && probe.object < GROUND && other.normal.dot(probe.normal) < 0.97)
        };
        let rows = probes.len() / self.width;
        (x > 0 && differs(&probes[index - 1]))
            || (x + 1 < self.width && differs(&probes[index + 1]))
            || (y > 0 && differs(&probes[index - self.width]))
            || (y + 1 < rows && differs(&probes[index + self.width]))
    }

    fn edge_color(&self, smoothed: &Gathering<'_>, column: usize, row: usize, top: usize) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (number, &(dx, dy)) in self.edge_samples.iter().enumerate() {
            let (x, y) = (column as f32 + dx, (row + top) as f32 + dy);
            let probe = self.probe(x, y);
            let light = if probe.object == NOTHING {
                Gathered::default()
            } else {
                let footprint = self.eye.footprint(probe.distance);
                smoothed.borrow(&probe, column, row, footprint).unwrap_or_else(|| {
                    let pattern = Pattern::of_pixel(&self.light_samples, column + number, row + top + number / BLOCK);
                    self.gather(&probe, x, y, pattern)
                })
            };
            sum += self.color(&probe, &light, x, y);
        }
        sum / self.edge_samples.len() as f32
    }

    /// The colour at a place of the picture, in `[0, 1]`, linear.
    fn color(&self, probe: &Probe, light: &Gathered, x: f32, y: f32) -> Vec3 {
        let (ray, _) = self.eye.ray(x, y);
        let backdrop = self.backdrop(y);
        let mut color = match self.point(probe, &ray) {
            None => backdrop,
            Some(point) if probe.object == GROUND => {
                let fade = self.ground_fade(probe);
                if fade <= 0.0 {
                    backdrop
                } else {
                    backdrop.lerp(compress(self.ground_color(&point, light, probe)), fade)
                }
            }
            Some(point) => compress(self.tracer.color(&point, light)),
        };
        if !self.tracer.scene.clear.bvh.is_empty() {
            let mut layers = [None; LAYERS];
            let count = self.layers(&ray, probe.distance, &mut layers).count();
            for hit in layers[..count].iter().rev().copied().flatten() {
                let (veil, opacity) = self.tracer.veil(&ray, &hit, self.eye.footprint(hit.distance));
                color = color.lerp(compress(veil), opacity);
            }
        }
        color
    }

    fn backdrop(&self, y: f32) -> Vec3 {
        let place = y / self.height as f32;
        let eased = place * place * (3.0 - 2.0 * place);
        self.background_top.lerp(self.background_bottom, eased)
    }

    /// The ground dissolves into the background: 1 near the action, 0 far off.
    fn ground_fade(&self, probe: &Probe) -> f32 {
        let radius = self.tracer.scene.radius;
        let level = Vec3::new(probe.position.x, 0.0, probe.position.z).length() / radius;
        let place = ((level - 2.0) / 9.0).clamp(0.0, 1.0);
        let left = 1.0 - place;
        left * left * (3.0 - 2.0 * left)
    }

    fn ground_color(&self, point: &Point, light: &Gathered, probe: &Probe) -> Vec3 {
        let color = self.tracer.color(point, light);
        match self.tracer.scene.floor {
            Some(floor) if floor.grid > 0.0 => color * (1.0 - 0.16 * self.grid_lines(&floor, probe, point.towards_eye)),
            _ => color,
        }
    }

    /// How much of a pixel grid lines cover.
    fn grid_lines(&self, floor: &Floor, probe: &Probe, towards_eye: Vec3) -> f32 {
        let place = (probe.position - floor.grid_origin) / floor.grid;
        // The part of the ground under a pixel is long along the view.
        let side = self.eye.right.normalize_or(Vec3::X).abs();
        let along = towards_eye.abs() / towards_eye.y.abs().max(0.02);
        let pixel = self.eye.footprint(probe.distance) / floor.grid;
        let line = |x: f32, width: f32| {
            let distance = (x - libm::roundf(x)).abs();
            // A line is a pixel wide, and fades where lines would run together.
            (1.0 - distance / width).max(0.0) * (1.0 - 3.0 * width).max(0.0)
        };
        line(place.x, 0.9 * pixel * (side.x + along.x)).max(line(place.z, 0.9 * pixel * (side.z + along.z)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Stage;
    use proscenium_clip::{Clip, Material, Mesh, Node};

    #[test]
    fn the_cut_into_slabs_cannot_be_seen() {
        let mut clip = Clip::new("wedge");
        for (name, opacity) in [("solid", 1.0), ("glass", 0.3)] {
            let material = clip.add_material(Material::new(name, [0.7, 0.3, 0.1]).with_opacity(opacity));
            let x = 0.6 - opacity;
            let corners = [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x + 0.5, 0.0, -0.9], [x + 0.5, 0.8, -0.3]];
            let mesh = Mesh::flat_shaded(&corners, &[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).unwrap();
            let mesh = clip.add_mesh(mesh.with_material(material));
            clip.add_node(Node::new(name).with_mesh(mesh));
        }
        let look = Look::sized(96, 64);
        let camera = crate::frame_clip(&clip, look.aspect()).unwrap();
        let scene = Stage::new(&clip).at(0.0, &look);
        let draw = |rows| draw_in_slabs(&scene, &camera, &look, rows, &Progress::none()).unwrap();
        let whole = draw(64);
        for rows in [1, 7, 33] {
            assert!(whole == draw(rows), "{rows} rows at once");
        }
    }
}
