//! Promise: pictures show what is there. Bodies throw shadows on the ground,
//! shine where the lamp is reflected, and are in the frame; the bytes do not
//! depend on the number of threads; bad input is refused.

use crate::scenes::{self, render};
use proscenium_clip::glam::{DVec3, Quat, Vec3};
use proscenium_clip::{Clip, Key, Material, Mesh, Node, Track};
use proscenium_picture::{Ground, Look, Picture, PictureError, Trail, frame_clip};
use proscenium_view::{Camera, Frustum};

fn small() -> Look {
    Look::sized(192, 108)
}

fn brightness(picture: &Picture, column: u32, row: u32) -> f64 {
    let [red, green, blue, _] = picture.pixel(column, row);
    (f64::from(red) + f64::from(green) + f64::from(blue)) / 3.0
}

/// The pixel at which a point of the world is drawn.
fn pixel(camera: &Camera, look: &Look, point: DVec3) -> (u32, u32) {
    let screen = camera.project(point).expect("the point lies in front of the camera");
    ((screen.x * f64::from(look.width)) as u32, (screen.y * f64::from(look.height)) as u32)
}

/// A body that does not move, with its mesh moved to a place.
fn still(name: &str, mesh: Mesh, color: [f32; 3], place: Vec3) -> Clip {
    let mut clip = Clip::new(name);
    let material = clip.add_material(Material::new(name, color).with_roughness(0.3));
    let mesh = clip.add_mesh(mesh.with_material(material));
    clip.add_node(Node::new(name).with_mesh(mesh).with_rest(place, Quat::IDENTITY));
    clip
}

#[test]
fn the_ground_is_darker_under_a_body_than_beside_it() {
    let clip = still("ball", scenes::sphere(0.5), [0.8, 0.2, 0.1], Vec3::Y * 0.7);
    let look = Look { ground: Ground::At(0.0), ..small() };
    let eye = DVec3::new(0.0, 2.0, 5.0);
    let camera = Camera::look_at(eye, DVec3::new(0.0, 0.5, 0.0), 0.8, look.aspect()).unwrap();
    let picture = render(&clip, 0.0, &camera, &look).unwrap();
    let at = |point| {
        let (column, row) = pixel(&camera, &look, point);
        brightness(&picture, column, row)
    };
    let open = at(DVec3::new(-2.0, 0.0, 0.5));
    // The lamp hangs to the left: the shadow lies to the right.
    let shadow = at(DVec3::new(0.45, 0.0, 0.15));
    assert!(shadow < 0.8 * open, "in the shadow {shadow}, in the open {open}");

    // Without shadows from the lamp, the sky alone still shades the contact.
    let soft = render(&clip, 0.0, &camera, &Look { shadows: false, ..look.clone() }).unwrap();
    let (column, row) = pixel(&camera, &look, DVec3::new(0.1, 0.0, 0.3));
    let (far_column, far_row) = pixel(&camera, &look, DVec3::new(-2.0, 0.0, 0.5));
    let (near, far) = (brightness(&soft, column, row), brightness(&soft, far_column, far_row));
    assert!(near < far - 5.0, "near the contact {near}, far from it {far}");
    assert!(near > shadow, "a lamp without shadows leaves more light");
}

#[test]
fn the_rim_of_a_shadow_is_soft() {
    let clip = still("ball", scenes::sphere(0.4), [0.2, 0.4, 0.8], Vec3::Y * 1.5);
    let look = Look { ground: Ground::At(0.0), towards_lamp: Some(DVec3::Y), ..Look::sized(320, 180) };
    let camera = Camera::look_at(DVec3::new(0.0, 0.9, 4.0), DVec3::ZERO, 0.5, look.aspect()).unwrap();
    let levels = |radius| {
        let picture = render(&clip, 0.0, &camera, &Look { lamp_radius: radius, ..look.clone() }).unwrap();
        let (left, row) = pixel(&camera, &look, DVec3::new(0.0, 0.0, 0.0));
        let (right, _) = pixel(&camera, &look, DVec3::new(0.9, 0.0, 0.0));
        (left..right).map(|column| brightness(&picture, column, row)).collect::<Vec<_>>()
    };
    let widest_step = |levels: &[f64]| levels.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    let (soft, hard) = (levels(0.15), levels(0.0));
    assert!(widest_step(&soft) < 0.5 * widest_step(&hard), "soft {soft:?}, hard {hard:?}");
}

#[test]
fn a_ball_shines_where_the_lamp_is_reflected() {
    let clip = still("ball", scenes::sphere(0.5), [0.1, 0.1, 0.4], Vec3::Y * 0.5);
    let look = small();
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    let picture = render(&clip, 0.0, &camera, &look).unwrap();
    let to_eye = (camera.position - DVec3::Y * 0.5).normalize();
    // The default lamp, as the documentation places it: over the left shoulder.
    let axes = camera.axes();
    let level = |v: DVec3| DVec3::new(v.x, 0.0, v.z).normalize();
    let lamp = (level(axes.x_axis) * -0.62 + level(axes.z_axis) * 0.28 + DVec3::Y).normalize();
    let at = |normal: DVec3| {
        let (column, row) = pixel(&camera, &look, DVec3::Y * 0.5 + 0.5 * normal);
        brightness(&picture, column, row)
    };
    let highlight = at((to_eye + lamp).normalize());
    assert!(highlight > 1.5 * at(to_eye), "highlight {highlight}, middle {}", at(to_eye));
    assert!(at(to_eye) > at((to_eye - 0.9 * lamp).normalize()), "the side away from the lamp is darker");
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let clip = scenes::glass_box(27);
    let look = small().with_trail(Trail { ghosts: 3, ..Trail::default() });
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    let draw = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| render(&clip, 1.0, &camera, &look)).unwrap()
    };
    assert!(draw(1) == draw(4));
}

#[test]
fn framing_has_every_body_in_the_picture_all_the_time() {
    for clip in [scenes::bouncing_ball(), scenes::glass_box(8), scenes::cradle(), scenes::dice()] {
        for aspect in [0.5, 1.0, 16.0 / 9.0] {
            let camera = frame_clip(&clip, aspect).unwrap();
            let frustum = Frustum::of(&camera).unwrap();
            let mut poses = Vec::new();
            for step in 0..=60 {
                clip.world_poses(clip.duration_secs * step as f32 / 60.0, &mut poses);
                for (node, pose) in clip.nodes.iter().zip(&poses).filter(|(node, _)| node.name != "table") {
                    for &corner in node.mesh.map_or(&[][..], |mesh| &clip.meshes[mesh].positions) {
                        let point = pose.transform_point3(Vec3::from_array(corner)).as_dvec3();
                        assert!(frustum.contains_point(point), "{}: {} is outside", clip.name, node.name);
                    }
                }
            }
        }
    }
}

#[test]
fn a_body_that_flies_away_does_not_shrink_the_rest() {
    let near = frame_clip(&scenes::glass_box(27), 1.5).unwrap();
    let mut clip = scenes::glass_box(27);
    let keys = vec![Key::new(0.0, Vec3::ZERO, Quat::IDENTITY), Key::new(4.0, Vec3::X * 1e6, Quat::IDENTITY)];
    let mesh = clip.nodes[1].mesh.unwrap();
    clip.add_node(Node::new("comet").with_mesh(mesh).with_track(Track { keys }));
    let framed = frame_clip(&clip, 1.5).unwrap();
    let distance = |camera: &Camera| camera.position.length();
    assert!(distance(&framed) < 1.5 * distance(&near), "{} and {}", distance(&framed), distance(&near));
}

#[test]
fn a_wide_fixed_floor_is_the_ground_and_not_the_subject() {
    let with_floor = scenes::dice();
    let mut without = with_floor.clone();
    without.nodes[0].mesh = None;
    assert_eq!(frame_clip(&with_floor, 1.5).unwrap(), frame_clip(&without, 1.5).unwrap());
    let look = small();
    let camera = frame_clip(&with_floor, look.aspect()).unwrap();
    let picture = render(&with_floor, 0.0, &camera, &look).unwrap();
    let [red, green, blue, _] = picture.pixel(96, 100);
    assert!(green > red && green > blue, "the ground has the colour of the felt");
}

#[test]
fn an_empty_clip_is_a_picture_of_the_ground() {
    let clip = Clip::new("nothing");
    let look = small();
    let picture = render(&clip, 0.0, &frame_clip(&clip, look.aspect()).unwrap(), &look).unwrap();
    let (ground, sky) = (picture.pixel(96, 100), picture.pixel(96, 2));
    assert_ne!(ground, sky);
    assert!(brightness(&picture, 96, 100) > 150.0);
    let floating = Look { ground: Ground::None, ..look };
    let picture = render(&clip, 0.0, &frame_clip(&clip, floating.aspect()).unwrap(), &floating).unwrap();
    assert_eq!(picture.pixel(3, 50), picture.pixel(180, 50), "only the background, which is level");
}

#[test]
fn glass_is_seen_and_seen_through() {
    let mut clip = still("ball", scenes::sphere(0.4), [0.9, 0.1, 0.1], Vec3::Y * 0.5);
    let look = small();
    let camera = Camera::look_at(DVec3::new(0.5, 1.2, 5.0), DVec3::Y * 0.5, 0.5, look.aspect()).unwrap();
    let bare = render(&clip, 0.0, &camera, &look).unwrap();
    let glass = clip.add_material(Material::new("glass", [0.5, 0.7, 0.8]).with_opacity(0.1));
    let mesh = clip.add_mesh(scenes::cuboid(Vec3::splat(1.0)).with_material(glass));
    clip.add_node(Node::new("case").with_mesh(mesh).with_rest(Vec3::Y * 0.5, Quat::IDENTITY));
    let cased = render(&clip, 0.0, &camera, &look).unwrap();
    let (column, row) = pixel(&camera, &look, DVec3::new(0.0, 0.5, 0.4));
    let [red, green, ..] = cased.pixel(column, row);
    assert!(red > 2 * green, "the ball is still red");
    assert_ne!(cased.pixel(column, row), bare.pixel(column, row), "but the glass is there");
}

#[test]
fn a_trail_shows_where_a_body_was() {
    let clip = scenes::bouncing_ball();
    let look = small();
    let camera = frame_clip(&clip, look.aspect()).unwrap();
    let trail = Trail { ghosts: 4, spacing_secs: 0.3, ..Trail::default() };
    let with = render(&clip, 2.0, &camera, &look.clone().with_trail(trail)).unwrap();
    let without = render(&clip, 2.0, &camera, &look).unwrap();
    let earlier = clip.nodes[0].pose(1.7).position.as_dvec3();
    let (column, row) = pixel(&camera, &look, earlier);
    let redness = |picture: &Picture| {
        let [red, _, blue, _] = picture.pixel(column, row);
        i32::from(red) - i32::from(blue)
    };
    assert!(redness(&with) > redness(&without) + 30);
}

#[test]
fn bad_input_is_refused() {
    let clip = scenes::bouncing_ball();
    let camera = frame_clip(&clip, 1.5).unwrap();
    let refuse = |look: &Look| render(&clip, 0.0, &camera, look).unwrap_err();
    assert!(matches!(refuse(&Look::sized(0, 10)), PictureError::Size { .. }));
    assert!(matches!(refuse(&Look::sized(10, 8193)), PictureError::Size { .. }));
    assert!(matches!(refuse(&Look { light_samples: 0, ..small() }), PictureError::Setting { .. }));
    assert!(matches!(refuse(&Look { ground: Ground::At(f64::NAN), ..small() }), PictureError::Setting { .. }));
    assert!(matches!(refuse(&Look { towards_lamp: Some(DVec3::ZERO), ..small() }), PictureError::Setting { .. }));
    let trail = Trail { spacing_secs: f64::NAN, ..Trail::default() };
    assert!(matches!(refuse(&small().with_trail(trail)), PictureError::Setting { .. }));
    assert!(matches!(render(&clip, f32::NAN, &camera, &small()), Err(PictureError::Setting { .. })));
    let blind = Camera { position: DVec3::NAN, ..camera };
    assert!(matches!(render(&clip, 0.0, &blind, &small()), Err(PictureError::Camera(_))));
    let mut broken = clip.clone();
    broken.meshes[0].positions[3][1] = f32::NAN;
    assert!(matches!(render(&broken, 0.0, &camera, &small()), Err(PictureError::Clip(_))));
    assert!(matches!(frame_clip(&broken, 1.5), Err(PictureError::Clip(_))));
    assert!(matches!(frame_clip(&clip, f64::NAN), Err(PictureError::Camera(_))));
}

#[test]
fn extreme_but_finite_numbers_are_drawn() {
    let look = Look::sized(32, 18);
    for size in [1e-30, 1e-6, 1e6, 1e15, 1e37] {
        let mut clip = still("body", scenes::icosahedron(1.0), [0.5; 3], Vec3::splat(size));
        clip.nodes[0].scale = Vec3::splat(size);
        if let Ok(camera) = frame_clip(&clip, look.aspect()) {
            render(&clip, 0.0, &camera, &look).unwrap();
        }
        let camera = Camera::look_at(DVec3::new(3.0, 2.0, 3.0), DVec3::ZERO, 0.6, 1.5).unwrap();
        render(&clip, 0.0, &camera, &look).unwrap();
    }
}
