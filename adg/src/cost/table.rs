//! The coefficients of the model. Written by `make calibrate` from verif/bench/calibration: osu018, the typical corner, by
//! yosys and OpenSTA as `loom ppa` runs them. Not to be changed by hand.

use super::rows::{ArcRow, UnitFigures};

/// Thousandths of a square micrometre for each feature.
pub(super) const AREA_MILLI_UM2: [u64; 32] = [
    31931,    // SwitchPointBit
    211618,   // SwitchPoint
    0,        // SwitchOutput
    0,        // SwitchInput
    172000,   // SingleBit
    0,        // Single
    326049,   // ElasticBit
    342921,   // Elastic
    208317,   // RingBit
    98221,    // RingEntry
    1057562,  // Ring
    44676,    // BypassBit
    105535,   // TemporalPointBit
    0,        // TemporalSlotPoint
    78808,    // TagCompareBit
    0,        // TemporalPoint
    16254,    // PeChoiceBit
    31439,    // PeResultBit
    25524,    // PeOutputBit
    720479,   // PeUnit
    383713,   // Pe
    177165,   // QueueBit
    62870,    // LaneBit
    13354418, // Region
    41521514, // Master
    19757333, // Pad
    5542091,  // SliceWord
    0,        // Slice
    4790526,  // ErrorUnit
    3102488,  // ErrorNode
    75444,    // LoaderBit
    11927222, // Loader
];

/// The arcs of each kind of component, in the order of the kinds.
pub(super) const DELAYS: [&[ArcRow]; 9] = [
    // Switch
    &[
        ("c>h", [517, 98, 0]),
        ("c>l", [628, 59, 0]),
        ("c>r", [492, 0, 135]),
        ("c>s", [507, 154, 126]),
        ("c>v", [367, 113, 0]),
        ("h>h", [32, 0, 116]),
        ("k>r", [161, 0, 326]),
        ("k>s", [189, 171, 291]),
        ("k>v", [335, 18, 0]),
        ("l>l", [-310, 18, 235]),
        ("r>r", [-95, 0, 339]),
        ("r>s", [-89, 227, 256]),
        ("v>s", [11, 225, 104]),
        ("v>v", [-207, 290, 8]),
    ],
    // ShortFifo
    &[
        ("h>s", [237, 18, 0]),
        ("k>h", [215, 1, 0]),
        ("k>l", [215, 1, 0]),
        ("k>r", [318, 95, 0]),
        ("k>s", [674, 81, 0]),
        ("k>v", [265, 2, 0]),
        ("l>s", [341, 0, 0]),
        ("r>s", [427, 51, 0]),
        ("v>s", [336, 0, 0]),
    ],
    // Ring
    &[
        ("h>s", [-6, 145, 0]),
        ("k>h", [429, 134, 37]),
        ("k>l", [144, 161, 87]),
        ("k>r", [357, 8, 0]),
        ("k>s", [823, 127, 55]),
        ("k>v", [407, 96, 18]),
        ("l>s", [81, 108, 4]),
        ("r>s", [444, 70, 19]),
        ("v>s", [577, 75, 73]),
    ],
    // Bypass
    &[
        ("c>h", [549, 0, 0]),
        ("c>l", [767, 0, 0]),
        ("c>r", [564, 0, 0]),
        ("c>s", [1376, 0, 0]),
        ("c>v", [564, 0, 0]),
        ("h>h", [238, 0, 0]),
        ("h>s", [349, 0, 0]),
        ("k>h", [1058, 0, 0]),
        ("k>l", [1064, 0, 0]),
        ("k>r", [346, 0, 0]),
        ("k>s", [1420, 0, 0]),
        ("k>v", [953, 0, 0]),
        ("l>l", [238, 0, 0]),
        ("l>s", [343, 0, 0]),
        ("r>r", [176, 0, 0]),
        ("r>s", [597, 0, 0]),
        ("v>s", [1139, 0, 0]),
        ("v>v", [176, 0, 0]),
    ],
    // Pe
    &[
        ("c>h", [159, 47, 553]),
        ("c>l", [633, 202, 92]),
        ("c>r", [898, 120, 258]),
        ("c>v", [1006, 69, 154]),
        ("h>h", [-150, 272, 136]),
        ("h>l", [-504, 171, 489]),
        ("l>h", [-143, 41, 340]),
        ("l>l", [322, 83, 146]),
        ("l>r", [178, 88, 223]),
        ("l>v", [423, 48, 58]),
        ("r>r", [104, 93, 83]),
        ("v>r", [-176, 99, 394]),
        ("v>v", [-180, 42, 400]),
    ],
    // BufferedPe
    &[
        ("c>r", [63, 0, 0]),
        ("c>s", [5, 0, 0]),
        ("h>r", [423, 0, 0]),
        ("h>s", [376, 0, 0]),
        ("k>h", [215, 2, 1]),
        ("k>l", [217, 0, 0]),
        ("k>r", [155, 0, 0]),
        ("k>s", [108, 0, 0]),
        ("k>v", [206, 11, 7]),
        ("l>r", [209, 70, 43]),
        ("l>s", [285, 0, 0]),
        ("r>s", [-357, 0, 0]),
        ("v>r", [-697, 519, 321]),
        ("v>s", [-401, 362, 224]),
    ],
    // Memory
    &[
        ("c>r", [2930, 341, 0]),
        ("c>s", [3830, 117, 35]),
        ("h>r", [788, 325, 0]),
        ("h>s", [1748, 104, 45]),
        ("k>h", [427, 184, 158]),
        ("k>l", [490, 147, 150]),
        ("k>r", [-434, 1526, 104]),
        ("k>s", [582, 1135, 316]),
        ("k>v", [-24, 136, 167]),
        ("l>r", [1594, 250, 0]),
        ("l>s", [2527, 33, 39]),
        ("r>s", [855, 12, 49]),
        ("v>r", [-800, 1559, 83]),
        ("v>s", [280, 1227, 199]),
    ],
    // TemporalSwitch
    &[
        ("c>h", [1746, 0, 0]),
        ("c>l", [1746, 0, 0]),
        ("c>r", [1472, 0, 0]),
        ("c>s", [1742, 0, 0]),
        ("c>v", [1229, 0, 0]),
        ("h>h", [201, 0, 0]),
        ("k>h", [1108, 0, 0]),
        ("k>l", [1108, 0, 0]),
        ("k>r", [811, 0, 0]),
        ("k>s", [1078, 0, 0]),
        ("k>v", [618, 0, 0]),
        ("l>h", [1756, 0, 0]),
        ("l>l", [1756, 0, 0]),
        ("l>r", [1441, 0, 0]),
        ("l>s", [1712, 0, 0]),
        ("l>v", [1196, 0, 0]),
        ("r>r", [316, 0, 0]),
        ("r>s", [583, 0, 0]),
        ("v>h", [1074, 0, 0]),
        ("v>l", [1074, 0, 0]),
        ("v>r", [774, 0, 0]),
        ("v>s", [1045, 0, 0]),
        ("v>v", [525, 0, 0]),
    ],
    // MapTag
    &[
        ("c>l", [-324, 471, 0]),
        ("c>r", [-344, 472, 0]),
        ("c>s", [-365, 521, 0]),
        ("c>v", [-356, 475, 0]),
        ("h>h", [0, 0, 0]),
        ("k>r", [443, 0, 0]),
        ("k>s", [474, 0, 0]),
        ("l>l", [-349, 482, 0]),
        ("l>r", [-512, 549, 0]),
        ("l>s", [-501, 585, 0]),
        ("l>v", [-524, 553, 0]),
        ("r>r", [189, 0, 0]),
        ("v>s", [323, 0, 0]),
        ("v>v", [186, 0, 0]),
    ],
];

/// The units by op, and of each by width.
#[rustfmt::skip]
pub(super) const UNITS: &[UnitFigures] = &[
    UnitFigures { op: "arith.addf", width: 16, area_um2: 27627, arcs_ps: &[("h>h", 1476), ("h>l", 4413), ("l>h", 4344), ("l>l", 7281), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addf", width: 32, area_um2: 57037, arcs_ps: &[("h>h", 1657), ("h>l", 4863), ("l>h", 6166), ("l>l", 9329), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addi", width: 8, area_um2: 1483, arcs_ps: &[("h>h", 338), ("l>h", 925), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addi", width: 32, area_um2: 7274, arcs_ps: &[("h>h", 338), ("l>h", 2027), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addi", width: 64, area_um2: 15238, arcs_ps: &[("h>h", 336), ("l>h", 2286), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.andi", width: 8, area_um2: 320, arcs_ps: &[("h>h", 158), ("l>l", 158), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.andi", width: 32, area_um2: 1088, arcs_ps: &[("h>h", 158), ("l>l", 158), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.andi", width: 64, area_um2: 2112, arcs_ps: &[("h>h", 158), ("l>l", 158), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.bitcast", width: 32, area_um2: 32, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.cmpf", width: 32, area_um2: 6447, arcs_ps: &[("c>l", 431), ("h>l", 719), ("l>l", 1429), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.cmpi", width: 8, area_um2: 1764, arcs_ps: &[("c>l", 631), ("h>l", 1155), ("l>l", 901), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.cmpi", width: 32, area_um2: 4934, arcs_ps: &[("c>l", 560), ("h>l", 1314), ("l>l", 1008), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.divf", width: 32, area_um2: 74074, arcs_ps: &[("h>s", 364), ("k>h", 223), ("k>l", 218), ("k>r", 1298), ("k>s", 4669), ("k>v", 790), ("l>s", 872), ("r>r", 890), ("r>s", 1427), ("v>r", 976), ("v>s", 1513)] },
    UnitFigures { op: "arith.divsi", width: 8, area_um2: 9838, arcs_ps: &[("h>s", 525), ("k>h", 1245), ("k>l", 280), ("k>r", 1019), ("k>s", 1617), ("k>v", 947), ("l>s", 1069), ("r>r", 571), ("r>s", 1157), ("v>r", 580), ("v>s", 1137)] },
    UnitFigures { op: "arith.divsi", width: 32, area_um2: 40996, arcs_ps: &[("h>s", 1082), ("k>h", 2371), ("k>l", 284), ("k>r", 1280), ("k>s", 2141), ("k>v", 1147), ("l>s", 2288), ("r>r", 913), ("r>s", 1343), ("v>r", 1002), ("v>s", 1432)] },
    UnitFigures { op: "arith.divui", width: 8, area_um2: 7722, arcs_ps: &[("h>s", 309), ("k>h", 271), ("k>l", 240), ("k>r", 1198), ("k>s", 1560), ("k>v", 979), ("l>s", 324), ("r>r", 715), ("r>s", 1077), ("v>r", 718), ("v>s", 1075)] },
    UnitFigures { op: "arith.divui", width: 32, area_um2: 29563, arcs_ps: &[("h>s", 319), ("k>h", 302), ("k>l", 240), ("k>r", 1403), ("k>s", 2174), ("k>v", 1140), ("l>s", 317), ("r>r", 789), ("r>s", 1197), ("v>r", 875), ("v>s", 1284)] },
    UnitFigures { op: "arith.extf", width: 32, area_um2: 3305, arcs_ps: &[("h>h", 147), ("l>h", 370), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.extsi", width: 32, area_um2: 32, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.extui", width: 32, area_um2: 32, arcs_ps: &[("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.fptosi", width: 32, area_um2: 16847, arcs_ps: &[("h>h", 475), ("h>l", 345), ("l>h", 967), ("l>l", 861), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.fptoui", width: 32, area_um2: 10406, arcs_ps: &[("h>h", 488), ("h>l", 718), ("l>h", 777), ("l>l", 1008), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.index_cast", width: 32, area_um2: 32, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.maximumf", width: 32, area_um2: 8034, arcs_ps: &[("h>h", 566), ("h>l", 864), ("l>h", 1346), ("l>l", 1637), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.maxsi", width: 8, area_um2: 1519, arcs_ps: &[("h>h", 804), ("h>l", 1238), ("l>h", 750), ("l>l", 1178), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.maxsi", width: 32, area_um2: 6645, arcs_ps: &[("h>h", 801), ("h>l", 1372), ("l>h", 653), ("l>l", 1224), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.minnumf", width: 32, area_um2: 7909, arcs_ps: &[("h>h", 213), ("h>l", 805), ("l>h", 483), ("l>l", 1526), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.minui", width: 8, area_um2: 1466, arcs_ps: &[("h>h", 943), ("h>l", 943), ("l>h", 940), ("l>l", 940), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.minui", width: 32, area_um2: 6328, arcs_ps: &[("h>h", 1034), ("h>l", 1317), ("l>h", 925), ("l>l", 1208), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.mulf", width: 16, area_um2: 49528, arcs_ps: &[("h>h", 250), ("l>h", 3790), ("l>l", 7109), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.mulf", width: 32, area_um2: 201843, arcs_ps: &[("h>h", 250), ("l>h", 4986), ("l>l", 9221), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.muli", width: 8, area_um2: 4967, arcs_ps: &[("h>h", 1339), ("l>h", 1513), ("l>l", 287), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.muli", width: 32, area_um2: 122697, arcs_ps: &[("h>h", 2293), ("l>h", 4166), ("l>l", 535), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.negf", width: 32, area_um2: 48, arcs_ps: &[("h>h", 129), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.ori", width: 8, area_um2: 320, arcs_ps: &[("h>h", 154), ("l>l", 154), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.ori", width: 32, area_um2: 1088, arcs_ps: &[("h>h", 154), ("l>l", 154), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.ori", width: 64, area_um2: 2112, arcs_ps: &[("h>h", 154), ("l>l", 154), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.remf", width: 32, area_um2: 62344, arcs_ps: &[("h>s", 299), ("k>h", 215), ("k>l", 219), ("k>r", 1512), ("k>s", 4656), ("k>v", 1243), ("l>s", 800), ("r>r", 806), ("r>s", 1346), ("v>r", 893), ("v>s", 1433)] },
    UnitFigures { op: "arith.remsi", width: 8, area_um2: 9672, arcs_ps: &[("h>s", 526), ("k>h", 1396), ("k>l", 314), ("k>r", 1397), ("k>s", 1708), ("k>v", 952), ("l>s", 1031), ("r>r", 955), ("r>s", 1289), ("v>r", 964), ("v>s", 1298)] },
    UnitFigures { op: "arith.remsi", width: 32, area_um2: 41127, arcs_ps: &[("h>s", 999), ("k>h", 2524), ("k>l", 327), ("k>r", 1440), ("k>s", 2215), ("k>v", 1090), ("l>s", 2028), ("r>r", 1030), ("r>s", 1335), ("v>r", 1119), ("v>s", 1424)] },
    UnitFigures { op: "arith.remui", width: 8, area_um2: 7722, arcs_ps: &[("h>s", 309), ("k>h", 233), ("k>l", 247), ("k>r", 1198), ("k>s", 1583), ("k>v", 979), ("l>s", 324), ("r>r", 715), ("r>s", 1077), ("v>r", 718), ("v>s", 1075)] },
    UnitFigures { op: "arith.remui", width: 32, area_um2: 29563, arcs_ps: &[("h>s", 319), ("k>h", 233), ("k>l", 271), ("k>r", 1403), ("k>s", 2200), ("k>v", 1140), ("l>s", 317), ("r>r", 789), ("r>s", 1197), ("v>r", 875), ("v>s", 1284)] },
    UnitFigures { op: "arith.select", width: 8, area_um2: 620, arcs_ps: &[("h>h", 199), ("l>h", 397), ("l>l", 422), ("r>r", 348), ("v>r", 402), ("v>v", 242)] },
    UnitFigures { op: "arith.select", width: 32, area_um2: 2276, arcs_ps: &[("h>h", 199), ("l>h", 595), ("l>l", 595), ("r>r", 348), ("v>r", 402), ("v>v", 242)] },
    UnitFigures { op: "arith.select", width: 64, area_um2: 4460, arcs_ps: &[("h>h", 199), ("l>h", 582), ("l>l", 582), ("r>r", 348), ("v>r", 402), ("v>v", 242)] },
    UnitFigures { op: "arith.shli", width: 8, area_um2: 1500, arcs_ps: &[("h>h", 777), ("h>l", 657), ("l>h", 684), ("l>l", 505), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shli", width: 32, area_um2: 11006, arcs_ps: &[("h>h", 1240), ("h>l", 793), ("l>h", 1321), ("l>l", 734), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shli", width: 64, area_um2: 24437, arcs_ps: &[("h>h", 1648), ("h>l", 999), ("l>h", 1404), ("l>l", 956), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrsi", width: 8, area_um2: 1809, arcs_ps: &[("h>h", 0), ("h>l", 894), ("l>l", 761), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrsi", width: 32, area_um2: 10196, arcs_ps: &[("h>h", 0), ("h>l", 1635), ("l>l", 1300), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrui", width: 8, area_um2: 1546, arcs_ps: &[("h>h", 843), ("h>l", 923), ("l>h", 537), ("l>l", 681), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrui", width: 32, area_um2: 10927, arcs_ps: &[("h>h", 1092), ("h>l", 1238), ("l>h", 746), ("l>l", 1221), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrui", width: 64, area_um2: 24665, arcs_ps: &[("h>h", 1237), ("h>l", 1645), ("l>h", 907), ("l>l", 1362), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.sitofp", width: 32, area_um2: 20237, arcs_ps: &[("h>h", 0), ("h>l", 2527), ("l>l", 3091), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.subf", width: 32, area_um2: 55011, arcs_ps: &[("h>h", 1886), ("h>l", 5738), ("l>h", 6167), ("l>l", 10019), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.subi", width: 8, area_um2: 1678, arcs_ps: &[("h>h", 336), ("l>h", 795), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.subi", width: 32, area_um2: 7580, arcs_ps: &[("h>h", 336), ("l>h", 1994), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.truncf", width: 32, area_um2: 14656, arcs_ps: &[("h>h", 147), ("l>h", 453), ("l>l", 2917), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.trunci", width: 32, area_um2: 32, arcs_ps: &[("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.uitofp", width: 32, area_um2: 15163, arcs_ps: &[("h>l", 2246), ("l>l", 1767), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.xori", width: 8, area_um2: 512, arcs_ps: &[("h>h", 179), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.xori", width: 32, area_um2: 1856, arcs_ps: &[("h>h", 179), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "dataflow.carry", width: 8, area_um2: 1006, arcs_ps: &[("h>h", 190), ("k>h", 876), ("k>l", 876), ("k>r", 781), ("k>s", 562), ("k>v", 749), ("l>h", 607), ("l>l", 607), ("l>r", 512), ("l>s", 321), ("l>v", 488), ("r>r", 366), ("r>s", 362), ("r>v", 361), ("v>r", 358), ("v>s", 413), ("v>v", 352)] },
    UnitFigures { op: "dataflow.carry", width: 32, area_um2: 2678, arcs_ps: &[("h>h", 202), ("k>h", 800), ("k>l", 990), ("k>r", 1034), ("k>s", 562), ("k>v", 1004), ("l>h", 532), ("l>l", 766), ("l>r", 764), ("l>s", 321), ("l>v", 759), ("r>r", 366), ("r>s", 362), ("r>v", 361), ("v>r", 358), ("v>s", 413), ("v>v", 352)] },
    UnitFigures { op: "dataflow.gate", width: 8, area_um2: 426, arcs_ps: &[("h>h", 0), ("k>r", 529), ("k>s", 687), ("k>v", 663), ("l>l", 0), ("l>r", 397), ("l>s", 489), ("l>v", 598), ("r>r", 372), ("r>s", 532), ("r>v", 549), ("v>r", 434), ("v>s", 526), ("v>v", 635)] },
    UnitFigures { op: "dataflow.gate", width: 32, area_um2: 426, arcs_ps: &[("h>h", 0), ("k>r", 529), ("k>s", 687), ("k>v", 663), ("l>l", 0), ("l>r", 397), ("l>s", 489), ("l>v", 598), ("r>r", 372), ("r>s", 532), ("r>v", 549), ("v>r", 434), ("v>s", 526), ("v>v", 635)] },
    UnitFigures { op: "dataflow.invariant", width: 8, area_um2: 2361, arcs_ps: &[("h>h", 317), ("h>s", 341), ("k>h", 736), ("k>l", 736), ("k>r", 828), ("k>s", 973), ("k>v", 707), ("l>h", 465), ("l>l", 465), ("l>r", 568), ("l>s", 721), ("l>v", 426), ("r>r", 475), ("r>s", 645), ("r>v", 199), ("v>r", 648), ("v>s", 811), ("v>v", 212)] },
    UnitFigures { op: "dataflow.invariant", width: 32, area_um2: 7849, arcs_ps: &[("h>h", 181), ("h>s", 314), ("k>h", 603), ("k>l", 859), ("k>r", 1023), ("k>s", 1180), ("k>v", 884), ("l>h", 344), ("l>l", 616), ("l>r", 763), ("l>s", 921), ("l>v", 602), ("r>r", 661), ("r>s", 844), ("r>v", 196), ("v>r", 843), ("v>s", 1010), ("v>v", 210)] },
    UnitFigures { op: "dataflow.stream *= unsigned", width: 32, area_um2: 306078, arcs_ps: &[("c>l", 1217), ("c>r", 2023), ("c>s", 3816), ("h>r", 1006), ("h>s", 1416), ("k>h", 215), ("k>l", 2594), ("k>r", 3400), ("k>s", 7535), ("k>v", 509), ("l>r", 880), ("l>s", 1291), ("r>r", 921), ("r>s", 1345), ("r>v", 334), ("v>r", 857), ("v>s", 1271)] },
    UnitFigures { op: "dataflow.stream +=", width: 32, area_um2: 30577, arcs_ps: &[("c>l", 503), ("c>r", 1143), ("c>s", 1548), ("h>r", 879), ("h>s", 1284), ("k>h", 299), ("k>l", 1483), ("k>r", 2123), ("k>s", 2651), ("k>v", 600), ("l>r", 902), ("l>s", 1306), ("r>r", 1178), ("r>s", 1604), ("r>v", 354), ("v>r", 869), ("v>s", 1295)] },
    UnitFigures { op: "dataflow.stream += unsigned", width: 32, area_um2: 30331, arcs_ps: &[("c>l", 742), ("c>r", 1648), ("c>s", 1979), ("h>r", 1027), ("h>s", 1369), ("k>h", 315), ("k>l", 1428), ("k>r", 2335), ("k>s", 2666), ("k>v", 579), ("l>r", 1147), ("l>s", 1488), ("r>r", 1026), ("r>s", 1405), ("r>v", 329), ("v>r", 935), ("v>s", 1267)] },
    UnitFigures { op: "dataflow.stream -= unsigned", width: 32, area_um2: 30177, arcs_ps: &[("c>l", 792), ("c>r", 1739), ("c>s", 2117), ("h>r", 1148), ("h>s", 1526), ("k>h", 288), ("k>l", 1534), ("k>r", 2481), ("k>s", 2859), ("k>v", 640), ("l>r", 1265), ("l>s", 1643), ("r>r", 1517), ("r>s", 1880), ("r>v", 423), ("v>r", 1158), ("v>s", 1521)] },
    UnitFigures { op: "dataflow.stream /= unsigned", width: 32, area_um2: 61605, arcs_ps: &[("c>l", 1061), ("c>r", 1772), ("c>s", 3589), ("h>r", 773), ("h>s", 1583), ("k>h", 311), ("k>l", 1571), ("k>r", 2257), ("k>s", 4194), ("k>v", 942), ("l>r", 773), ("l>s", 1583), ("r>r", 1104), ("r>s", 1885), ("r>v", 326), ("v>r", 725), ("v>s", 1501)] },
    UnitFigures { op: "dataflow.stream <<= unsigned", width: 32, area_um2: 46710, arcs_ps: &[("c>l", 884), ("c>r", 1944), ("c>s", 2357), ("h>r", 1233), ("h>s", 1658), ("k>h", 289), ("k>l", 1508), ("k>r", 2568), ("k>s", 3020), ("k>v", 509), ("l>r", 1206), ("l>s", 1631), ("r>r", 1175), ("r>s", 1587), ("r>v", 334), ("v>r", 1073), ("v>s", 1485)] },
    UnitFigures { op: "dataflow.stream >>= unsigned", width: 32, area_um2: 34107, arcs_ps: &[("c>l", 750), ("c>r", 1643), ("c>s", 2049), ("h>r", 1261), ("h>s", 1681), ("k>h", 267), ("k>l", 1388), ("k>r", 2281), ("k>s", 2687), ("k>v", 583), ("l>r", 1377), ("l>s", 1797), ("r>r", 1446), ("r>s", 1852), ("r>v", 338), ("v>r", 1134), ("v>s", 1540)] },
    UnitFigures { op: "handshake.cond_br", width: 8, area_um2: 160, arcs_ps: &[("h>h", 0), ("l>l", 0), ("l>r", 334), ("l>v", 186), ("r>r", 290), ("v>r", 354), ("v>v", 267)] },
    UnitFigures { op: "handshake.cond_br", width: 32, area_um2: 160, arcs_ps: &[("h>h", 0), ("l>l", 0), ("l>r", 334), ("l>v", 186), ("r>r", 290), ("v>r", 354), ("v>v", 267)] },
    UnitFigures { op: "handshake.cond_br", width: 64, area_um2: 160, arcs_ps: &[("h>h", 0), ("l>l", 0), ("l>r", 334), ("l>v", 186), ("r>r", 290), ("v>r", 354), ("v>v", 267)] },
    UnitFigures { op: "handshake.constant", width: 8, area_um2: 32, arcs_ps: &[("c>h", 0), ("c>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "handshake.constant", width: 32, area_um2: 32, arcs_ps: &[("c>h", 0), ("c>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "handshake.constant", width: 64, area_um2: 32, arcs_ps: &[("c>h", 0), ("c>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "handshake.join", width: 32, area_um2: 248, arcs_ps: &[("c>r", 231), ("c>v", 242), ("r>r", 204), ("v>r", 232), ("v>v", 232)] },
    UnitFigures { op: "handshake.load", width: 32, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "handshake.load", width: 64, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "handshake.mux", width: 8, area_um2: 792, arcs_ps: &[("h>h", 199), ("l>h", 403), ("l>l", 441), ("l>r", 425), ("l>v", 273), ("r>r", 285), ("v>r", 293), ("v>v", 247)] },
    UnitFigures { op: "handshake.mux", width: 32, area_um2: 2448, arcs_ps: &[("h>h", 199), ("l>h", 385), ("l>l", 613), ("l>r", 485), ("l>v", 480), ("r>r", 285), ("v>r", 293), ("v>v", 247)] },
    UnitFigures { op: "handshake.mux", width: 64, area_um2: 4656, arcs_ps: &[("h>h", 199), ("l>h", 701), ("l>l", 720), ("l>r", 734), ("l>v", 588), ("r>r", 285), ("v>r", 293), ("v>v", 247)] },
    UnitFigures { op: "handshake.store", width: 32, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "handshake.store", width: 64, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "llvm.intr.bitreverse", width: 8, area_um2: 32, arcs_ps: &[("h>l", 0), ("l>h", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "llvm.intr.bitreverse", width: 32, area_um2: 32, arcs_ps: &[("h>l", 0), ("l>h", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "loom.carry_br", width: 8, area_um2: 1111, arcs_ps: &[("h>h", 285), ("k>h", 925), ("k>l", 936), ("k>r", 822), ("k>s", 887), ("k>v", 744), ("l>l", 287), ("l>r", 380), ("l>s", 462), ("l>v", 305), ("r>r", 347), ("r>s", 426), ("r>v", 295), ("v>r", 493), ("v>s", 599), ("v>v", 468)] },
    UnitFigures { op: "loom.carry_br", width: 32, area_um2: 2767, arcs_ps: &[("h>h", 285), ("k>h", 810), ("k>l", 818), ("k>r", 934), ("k>s", 1002), ("k>v", 859), ("l>l", 287), ("l>r", 380), ("l>s", 462), ("l>v", 305), ("r>r", 347), ("r>s", 426), ("r>v", 295), ("v>r", 493), ("v>s", 599), ("v>v", 468)] },
    UnitFigures { op: "loom.invariant_br", width: 8, area_um2: 2150, arcs_ps: &[("h>h", 323), ("h>s", 344), ("k>h", 937), ("k>l", 937), ("k>r", 894), ("k>s", 1017), ("k>v", 720), ("l>l", 323), ("l>r", 306), ("l>s", 424), ("l>v", 309), ("r>r", 228), ("r>s", 371), ("r>v", 238), ("v>r", 669), ("v>s", 757), ("v>v", 288)] },
    UnitFigures { op: "loom.invariant_br", width: 32, area_um2: 7406, arcs_ps: &[("h>h", 323), ("h>s", 348), ("k>h", 856), ("k>l", 1143), ("k>r", 1031), ("k>s", 1161), ("k>v", 912), ("l>l", 323), ("l>r", 306), ("l>s", 424), ("l>v", 309), ("r>r", 228), ("r>s", 371), ("r>v", 238), ("v>r", 749), ("v>s", 875), ("v>v", 288)] },
    UnitFigures { op: "math.absf", width: 32, area_um2: 32, arcs_ps: &[("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.absi", width: 8, area_um2: 744, arcs_ps: &[("h>h", 270), ("l>h", 433), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.absi", width: 32, area_um2: 3782, arcs_ps: &[("h>h", 348), ("l>h", 1236), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.atan", width: 16, area_um2: 193718, arcs_ps: &[("h>h", 147), ("l>h", 716), ("l>l", 24189), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.atan", width: 32, area_um2: 666821, arcs_ps: &[("h>h", 147), ("l>h", 1038), ("l>l", 27768), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.atan2", width: 16, area_um2: 271451, arcs_ps: &[("h>h", 147), ("h>l", 10455), ("l>h", 2282), ("l>l", 31308), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "math.atan2", width: 32, area_um2: 913507, arcs_ps: &[("h>h", 147), ("h>l", 13870), ("l>h", 3266), ("l>l", 44050), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "math.cbrt", width: 16, area_um2: 53839, arcs_ps: &[("h>h", 147), ("l>h", 560), ("l>l", 8396), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cbrt", width: 32, area_um2: 237123, arcs_ps: &[("h>h", 147), ("l>h", 732), ("l>l", 13064), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cos", width: 16, area_um2: 288623, arcs_ps: &[("l>h", 3958), ("l>l", 18387), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cos", width: 32, area_um2: 993164, arcs_ps: &[("l>h", 6758), ("l>l", 23914), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctlz", width: 8, area_um2: 470, arcs_ps: &[("h>l", 135), ("l>l", 355), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctlz", width: 32, area_um2: 2238, arcs_ps: &[("h>l", 672), ("l>l", 489), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctpop", width: 8, area_um2: 1275, arcs_ps: &[("h>l", 323), ("l>l", 753), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctpop", width: 32, area_um2: 5262, arcs_ps: &[("h>l", 1285), ("l>l", 1623), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cttz", width: 8, area_um2: 470, arcs_ps: &[("h>l", 355), ("l>l", 135), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cttz", width: 32, area_um2: 2238, arcs_ps: &[("h>l", 489), ("l>l", 672), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.erf", width: 16, area_um2: 120790, arcs_ps: &[("h>h", 147), ("l>h", 862), ("l>l", 14288), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.erf", width: 32, area_um2: 545469, arcs_ps: &[("h>h", 147), ("l>h", 1215), ("l>l", 22648), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp", width: 16, area_um2: 138571, arcs_ps: &[("h>l", 13397), ("l>l", 16127), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp", width: 32, area_um2: 380250, arcs_ps: &[("h>l", 17774), ("l>l", 21681), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp2", width: 16, area_um2: 93940, arcs_ps: &[("h>l", 11597), ("l>l", 11733), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp2", width: 32, area_um2: 271536, arcs_ps: &[("h>l", 16902), ("l>l", 16997), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.floor", width: 32, area_um2: 18883, arcs_ps: &[("h>h", 186), ("l>h", 887), ("l>l", 899), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log", width: 16, area_um2: 112615, arcs_ps: &[("h>h", 274), ("h>l", 599), ("l>h", 4380), ("l>l", 16063), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log", width: 32, area_um2: 433742, arcs_ps: &[("h>h", 275), ("h>l", 915), ("l>h", 5716), ("l>l", 21093), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log10", width: 16, area_um2: 108641, arcs_ps: &[("h>h", 614), ("h>l", 726), ("l>h", 4038), ("l>l", 16358), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log10", width: 32, area_um2: 453418, arcs_ps: &[("h>h", 275), ("h>l", 874), ("l>h", 6191), ("l>l", 21167), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log2", width: 16, area_um2: 110764, arcs_ps: &[("h>h", 545), ("h>l", 706), ("l>h", 2856), ("l>l", 16680), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log2", width: 32, area_um2: 420036, arcs_ps: &[("h>h", 276), ("h>l", 785), ("l>h", 6112), ("l>l", 24071), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.round", width: 32, area_um2: 16603, arcs_ps: &[("h>h", 186), ("l>h", 785), ("l>l", 797), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.rsqrt", width: 32, area_um2: 84602, arcs_ps: &[("h>s", 437), ("k>h", 218), ("k>l", 218), ("k>r", 1388), ("k>s", 6143), ("k>v", 719), ("l>s", 692), ("r>r", 782), ("r>s", 1266), ("v>r", 851), ("v>s", 1224)] },
    UnitFigures { op: "math.sin", width: 16, area_um2: 279666, arcs_ps: &[("h>h", 1481), ("l>h", 3522), ("l>l", 18235), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.sin", width: 32, area_um2: 994896, arcs_ps: &[("h>h", 1711), ("l>h", 4553), ("l>l", 22669), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.sqrt", width: 32, area_um2: 48249, arcs_ps: &[("h>s", 469), ("k>h", 223), ("k>l", 218), ("k>r", 1753), ("k>s", 3258), ("k>v", 735), ("l>s", 788), ("r>r", 1161), ("r>s", 1587), ("v>r", 1190), ("v>s", 1617)] },
    UnitFigures { op: "math.tan", width: 16, area_um2: 374088, arcs_ps: &[("h>h", 295), ("l>h", 3694), ("l>l", 22143), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.tan", width: 32, area_um2: 1363790, arcs_ps: &[("h>h", 245), ("l>h", 4797), ("l>l", 28212), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.tanh", width: 16, area_um2: 117679, arcs_ps: &[("h>h", 147), ("l>h", 868), ("l>l", 13749), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.tanh", width: 32, area_um2: 583952, arcs_ps: &[("h>h", 147), ("l>h", 1203), ("l>l", 22967), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
];
