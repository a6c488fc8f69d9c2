//! The promise: the front end's types are those of the server. Where they are
//! not, this test writes them anew and fails, so that the change is looked at.

#![allow(clippy::unwrap_used)]

use proscenium_studio::api::*;
use ts_rs::TS;

fn declared<T: TS>() -> String {
    let comment = T::docs().map(|docs| docs.trim_end().to_owned() + "\n").unwrap_or_default();
    format!("{comment}export {}\n", T::decl())
}

#[test]
fn the_front_end_has_the_types_of_the_server() {
    let declarations = [
        declared::<Problem>(),
        declared::<Spot>(),
        declared::<BuiltinScene>(),
        declared::<SceneText>(),
        declared::<SceneParameter>(),
        declared::<SceneChoice>(),
        declared::<DensityChoice>(),
        declared::<DensityKind>(),
        declared::<SceneTree>(),
        declared::<TreeBody>(),
        declared::<TreeGroup>(),
        declared::<TreeMaterial>(),
        declared::<TreeVariable>(),
        declared::<MeshReport>(),
        declared::<TakeOrder>(),
        declared::<TakeReport>(),
        declared::<TakeSummary>(),
        declared::<TakeContact>(),
        declared::<TakeBounds>(),
        declared::<RunOrder>(),
        declared::<RunKeep>(),
        declared::<RunLike>(),
        declared::<RunBreed>(),
        declared::<RunMethod>(),
        declared::<RunPick>(),
        declared::<RunState>(),
        declared::<RunReport>(),
        declared::<TracePoint>(),
        declared::<GalleryEntry>(),
        declared::<FavouriteOrder>(),
        declared::<ResumeOrder>(),
        declared::<MotionHello>(),
        declared::<MotionRequest>(),
        declared::<LiveMessage>(),
        declared::<LiveHello>(),
        declared::<LiveBent>(),
        declared::<LivePlant>(),
        declared::<LiveShape>(),
        declared::<LiveSolid>(),
        declared::<LiveFinish>(),
        declared::<LiveStill>(),
        declared::<LiveRequest>(),
        declared::<CollisionsFacts>(),
        declared::<CollisionsStatistics>(),
        declared::<CollisionsColours>(),
        declared::<CollisionsControl>(),
        declared::<RideReport>(),
        declared::<RideLearning>(),
        declared::<RideLearned>(),
        declared::<FairgroundFacts>(),
        declared::<FairgroundStatistics>(),
        declared::<FairgroundControl>(),
        declared::<FieldFacts>(),
        declared::<FieldStatistics>(),
        declared::<FieldMaking>(),
        declared::<FieldControl>(),
        declared::<MeadowFacts>(),
        declared::<MeadowStatistics>(),
        declared::<MeadowClump>(),
        declared::<MeadowControl>(),
        declared::<NetworkReport>(),
        declared::<CityFacts>(),
        declared::<CityStatistics>(),
        declared::<CityControl>(),
        declared::<LabReport>(),
        declared::<LabExperiment>(),
        declared::<LabLast>(),
        declared::<LabOrder>(),
        declared::<LabJob>(),
        declared::<LabResults>(),
        declared::<StudyReport>(),
        declared::<StudyFactor>(),
        declared::<StudyExample>(),
        declared::<StudyPerson>(),
        declared::<StudyTrial>(),
        declared::<StudyConsent>(),
        declared::<StudyAnswer>(),
        declared::<StudyRemark>(),
        declared::<StudyAnalysis>(),
        declared::<StudyEffect>(),
        declared::<ModelListed>(),
        declared::<ModelText>(),
        declared::<ModelKept>(),
        declared::<ModelOffer>(),
        declared::<ModelCheck>(),
        declared::<ModelPart>(),
        declared::<PartSolid>(),
        declared::<ModelPreview>(),
        declared::<ModelOrder>(),
    ];
    let head = "// Made from apps/studio/src/api.rs by apps/studio/tests/types.rs; not to be edited.\n\n";
    let text = head.to_owned() + &declarations.join("\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/src/types.ts");
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    if committed != text {
        std::fs::write(path, text).unwrap();
        panic!("web/src/types.ts was not what the server says; it is now: look at it and commit it");
    }
}
