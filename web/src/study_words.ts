// What people are told about each experiment.

export interface StudyWords {
  title: string;
  question: string;
  source: string;
  /** What is shown, and what one does. */
  task: string;
  good: string;
  bad: string;
}

const RATE = "After each, say how believable it was: 1 is very believable, 3 very unbelievable.";

export const STUDY_WORDS: Record<string, StudyWords> = {
  causality: {
    title: "Causality",
    question: "How long may a collision take before it stops looking like one?",
    source: "Dingliana 2002, section 6.2.1",
    task: `Two balls meet in the middle and part, sometimes after a pause. ${RATE}`,
    good: "The balls part at once.",
    bad: "The balls part after a pause.",
  },
  gap: {
    title: "Gap",
    question: "Do people see that bodies turn back before they touch?",
    source: "Dingliana 2002, section 6.2.2",
    task: `Two L-shapes meet in the middle and go back the way they came. ${RATE}`,
    good: "They touch before they part.",
    bad: "They part at a distance.",
  },
  dynamics: {
    title: "Dynamics",
    question: "Do people see that bodies leave a collision in a wrong way?",
    source: "Dingliana 2002, section 6.2.2",
    task: `Two L-shapes collide off their middles and fly apart. ${RATE}`,
    good: "They turn as the blow makes them.",
    bad: "They are treated as balls.",
  },
  gaze: {
    title: "Gaze",
    question: "Do coarse collisions matter where nobody looks?",
    source: "Dingliana 2002, section 6.3.1",
    task: "Bodies fly about in a box for ten seconds. Follow them with the pointer, which stands for your gaze, and click whenever a collision looks wrong. After each, say how good it was: 1 is the worst that you have seen, 5 the best.",
    good: "All collisions are exact.",
    bad: "All bodies collide as balls around them.",
  },
};
