//! Light that reaches a point, and what it sends to the eye.

use glam::Vec3;

use super::bvh::{Hit, Ray};
use super::light::{Lighting, OPEN_SKY, Pattern, around};
use crate::scene::{Part, Scene, Surface};

/// A point on a surface, seen by a ray.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) position: Vec3,
    /// Of the plane of the triangle, towards the viewer.
    pub(crate) plane_normal: Vec3,
    /// Of the smooth surface, towards the viewer.
    pub(crate) normal: Vec3,
    /// Unit vector towards the viewer.
    pub(crate) towards_eye: Vec3,
    /// Where shadow rays start.
    pub(crate) lifted: Vec3,
    pub(crate) surface: Surface,
}

/// Light that arrives at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Gathered {
    /// Part of the lamp that can be seen, in `[0, 1]`.
    pub(crate) lamp: f32,
    /// Light from the sky and from what it shines on, weighted by the cosine.
    pub(crate) sky: Vec3,
    /// Light from the direction of reflection.
    pub(crate) mirror: Vec3,
}

impl Point {
    /// A point of a triangle.
    pub(crate) fn on_triangle(scene: &Scene, part: &Part, ray: &Ray, hit: &Hit) -> Self {
        let facet = &part.facets[hit.triangle as usize];
        let triangle = &part.triangles[hit.triangle as usize];
        let towards_eye = -ray.direction;
        let position = ray.at(hit.distance);
        let behind = facet.plane.dot(towards_eye) < 0.0;
        let face = |normal: Vec3| if behind { -normal } else { normal };
        let plane_normal = face(facet.plane);
        let lifted = position + plane_normal * clearance(scene, position, hit.distance);
        let flat = Self { position, plane_normal, normal: plane_normal, towards_eye, lifted, surface: facet.surface };
        if facet.flat {
            return flat;
        }
        let weights = [1.0 - hit.u - hit.v, hit.u, hit.v];
        let [a, b, c] = facet.normals;
        let normal = face((a * weights[0] + b * weights[1] + c * weights[2]).normalize_or(facet.plane));
        // A smooth body is rounder than its triangles: rays start from the
        // round surface, so that facets do not shade each other at the
        // terminator (Hanika 2021).
        let corners = [triangle.corner, triangle.corner + triangle.edge1, triangle.corner + triangle.edge2];
        let mut bulge = Vec3::ZERO;
        for ((corner, normal), weight) in corners.iter().zip(facet.normals).zip(weights) {
            let normal = face(normal);
            let below = (position - *corner).dot(normal).min(0.0);
            bulge -= normal * (below * weight);
        }
        Self { normal, lifted: lifted + bulge, ..flat }
    }

    /// A point of the ground.
    pub(crate) fn on_floor(scene: &Scene, surface: Surface, ray: &Ray, distance: f32) -> Self {
        let position = ray.at(distance);
        let up = if ray.direction.y > 0.0 { Vec3::NEG_Y } else { Vec3::Y };
        let lifted = position + up * clearance(scene, position, distance);
        Self { position, plane_normal: up, normal: up, towards_eye: -ray.direction, lifted, surface }
    }
}

/// How far rays start from the surface, so that rounding does not make it
/// shade itself.
fn clearance(scene: &Scene, position: Vec3, distance: f32) -> f32 {
    2e-6 * (position.abs().max_element() + distance) + 1e-5 * scene.radius
}

/// Traces light in a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracer<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) lighting: &'a Lighting,
}

impl Tracer<'_> {
    /// The distance to the ground along a ray.
    pub(crate) fn floor_distance(&self, ray: &Ray) -> Option<f32> {
        let floor = self.scene.floor?;
        let distance = (floor.height - ray.origin.y) / ray.direction.y;
        (distance > 0.0 && distance < 1e9).then_some(distance)
    }

    /// How much of the light from a direction passes the transparent bodies.
    fn passes(&self, ray: &Ray) -> f32 {
        let mut passes = 1.0;
        if !self.scene.clear.bvh.is_empty() {
            let facets = &self.scene.clear.facets;
            // A closed body is passed twice: each surface takes half.
            self.scene.clear.bvh.each(ray, 0.0, f32::INFINITY, |hit| {
                passes *= 1.0 - 0.5 * facets[hit.triangle as usize].surface.opacity;
            });
        }
        passes
    }

    /// The light that arrives at a point, by the samples of its pixel.
    pub(crate) fn gather(&self, point: &Point, pattern: Pattern<'_>) -> Gathered {
        let share = 1.0 / pattern.count() as f32;
        let mut gathered = Gathered::default();
        if !self.lighting.shadows {
            gathered.lamp = 1.0;
        } else if point.normal.dot(self.lighting.towards_lamp) > -self.lighting.lamp_radius {
            let mut passes = None;
            for disc in pattern.disc() {
                let ray = Ray::new(point.lifted, self.lighting.lamp_direction(disc));
                if !self.scene.solid.bvh.blocked(&ray, 0.0, f32::INFINITY) {
                    // One look through large panes serves all samples of a pixel.
                    passes = passes.filter(|_| !self.scene.has_ghosts);
                    gathered.lamp += share * *passes.get_or_insert_with(|| self.passes(&ray));
                }
            }
        }
        let (side, other_side) = around(point.normal);
        for (x, y) in pattern.disc() {
            let up = (1.0 - x * x - y * y).max(0.0).sqrt();
            let direction = above(point, side * x + other_side * y + point.normal * up);
            gathered.sky += self.radiance(&Ray::new(point.lifted, direction)) * share;
        }
        if is_glossy(&point.surface) {
            gathered.mirror = self.mirror(point, pattern, share);
        }
        gathered
    }

    /// Light from around the direction of reflection, wider for rough
    /// surfaces.
    fn mirror(&self, point: &Point, pattern: Pattern<'_>, share: f32) -> Vec3 {
        let reflected = reflect(point);
        let (side, other_side) = around(reflected);
        let spread = point.surface.roughness * point.surface.roughness;
        let mut light = Vec3::ZERO;
        for (x, y) in pattern.disc() {
            let direction = (reflected + (side * x + other_side * y) * spread).normalize();
            light += self.radiance(&Ray::new(point.lifted, above(point, direction))) * share;
        }
        light
    }

    /// The light along a ray from whatever it meets, lit by the lamp and
    /// roughly by the sky.
    fn radiance(&self, ray: &Ray) -> Vec3 {
        let floor = self.floor_distance(ray);
        let limit = floor.unwrap_or(f32::INFINITY);
        let (point, openness) = match self.scene.solid.bvh.closest(ray, 0.0, limit) {
            Some(hit) => (Point::on_triangle(self.scene, &self.scene.solid, ray, &hit), 0.6),
            None => match (floor, self.scene.floor) {
                (Some(distance), Some(floor)) => {
                    // Near its point of contact the ground lies in shade.
                    (Point::on_floor(self.scene, floor.surface, ray, distance), 0.75)
                }
                _ => return self.lighting.sky(ray.direction),
            },
        };
        let facing = point.normal.dot(self.lighting.towards_lamp);
        let mut light = OPEN_SKY * openness * (0.6 + 0.4 * point.normal.y);
        if facing > 0.0 {
            let shadow_ray = Ray::new(point.lifted, self.lighting.towards_lamp);
            let blocked = self.lighting.shadows && self.scene.solid.bvh.blocked(&shadow_ray, 0.0, f32::INFINITY);
            if !blocked {
                light += self.lighting.lamp * facing;
            }
        }
        point.surface.color * light
    }

    /// The light from a point to the eye.
    pub(crate) fn color(&self, point: &Point, gathered: &Gathered) -> Vec3 {
        let surface = &point.surface;
        let lamp_facing = point.normal.dot(self.lighting.towards_lamp).max(0.0);
        let diffuse = surface.color * (1.0 - surface.metallic);
        let mut color = diffuse * (self.lighting.lamp * (lamp_facing * gathered.lamp) + gathered.sky);
        let base = Vec3::splat(0.04).lerp(surface.color, surface.metallic);
        let facing = point.normal.dot(point.towards_eye).clamp(0.0, 1.0);
        // Rough surfaces reflect less at grazing angles than smooth ones.
        let edge = Vec3::splat(1.0 - surface.roughness).max(base) - base;
        let fresnel = base + edge * fifth(1.0 - facing);
        let mirror = if is_glossy(surface) {
            gathered.mirror
        } else {
            // As the sky in that direction, as far as the sky is seen at all.
            let openness = (gathered.sky.element_sum() / OPEN_SKY.element_sum()).min(1.0);
            self.lighting.sky(reflect(point)) * openness
        };
        color += fresnel * mirror;
        let lamp = lamp_facing * gathered.lamp;
        if lamp > 0.0 { color + self.lighting.lamp * self.highlight(point, base) * lamp } else { color }
    }

    /// The lamp's reflection (GGX), widened by the lamp's extent.
    fn highlight(&self, point: &Point, base: Vec3) -> Vec3 {
        let half = (point.towards_eye + self.lighting.towards_lamp).normalize_or(point.normal);
        let alpha = (point.surface.roughness * point.surface.roughness + 0.5 * self.lighting.lamp_radius).min(1.0);
        let squared = alpha * alpha;
        let along = point.normal.dot(half).max(0.0);
        let spread = along * along * (squared - 1.0) + 1.0;
        let peak = squared / (spread * spread);
        let facing_eye = point.normal.dot(point.towards_eye).max(0.05);
        let facing_lamp = point.normal.dot(self.lighting.towards_lamp).max(0.05);
        let k = 0.5 * alpha;
        let masking = 4.0 * (facing_eye * (1.0 - k) + k) * (facing_lamp * (1.0 - k) + k);
        let fresnel = base + (Vec3::ONE - base) * fifth(1.0 - point.towards_eye.dot(half).clamp(0.0, 1.0));
        fresnel * (peak / masking).min(24.0)
    }

    /// Colour and opacity of a transparent surface, whose edges are drawn as
    /// lines of about a pixel; `footprint` is the size of a pixel there.
    pub(crate) fn veil(&self, ray: &Ray, hit: &Hit, footprint: f32) -> (Vec3, f32) {
        let facet = &self.scene.clear.facets[hit.triangle as usize];
        let point = Point::on_triangle(self.scene, &self.scene.clear, ray, hit);
        let open = Gathered { lamp: 1.0, sky: OPEN_SKY * (0.65 + 0.35 * point.normal.y), mirror: Vec3::ZERO };
        let glossless = Surface { roughness: point.surface.roughness.max(0.4), ..point.surface };
        let color = self.color(&Point { surface: glossless, ..point }, &open);
        if facet.ghost {
            return (color, point.surface.opacity);
        }
        // Glass reflects more, and is longer to pass, where it is seen aslant.
        let facing = point.normal.dot(point.towards_eye).clamp(0.0, 1.0);
        let opacity = point.surface.opacity + (1.0 - point.surface.opacity) * 0.25 * fifth(1.0 - facing);
        let line = facet.edge_coverage(hit, footprint);
        let line_color = point.surface.color * 0.55;
        let line_opacity = (0.30 + 0.5 * point.surface.opacity) * line;
        let total = opacity + line_opacity - opacity * line_opacity;
        (color.lerp(line_color, line_opacity / total.max(1e-6)), total)
    }
}

/// Whether a surface shows what is around it, so that rays must find it.
pub(crate) fn is_glossy(surface: &Surface) -> bool {
    surface.metallic > 0.3 || surface.roughness < 0.3
}

fn reflect(point: &Point) -> Vec3 {
    point.normal * (2.0 * point.normal.dot(point.towards_eye)) - point.towards_eye
}

/// Turns a direction that leads into the body outwards.
fn above(point: &Point, direction: Vec3) -> Vec3 {
    let up = direction.dot(point.plane_normal);
    if up < 0.0 { direction - point.plane_normal * (2.0 * up) } else { direction }
}

fn fifth(x: f32) -> f32 {
    let squared = x * x;
    squared * squared * x
}
