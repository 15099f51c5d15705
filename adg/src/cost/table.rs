//! The coefficients of the model. Written by `make calibrate` from verif/bench/calibration: osu018, the typical corner, by
//! yosys and OpenSTA as `loom ppa` runs them. Not to be changed by hand.

use super::rows::{ArcRow, UnitFigures};

/// Thousandths of a square micrometre for each feature.
pub(super) const AREA_MILLI_UM2: [u64; 32] = [
    31284,    // SwitchPointBit
    242424,   // SwitchPoint
    0,        // SwitchOutput
    0,        // SwitchInput
    169469,   // SingleBit
    0,        // Single
    317184,   // ElasticBit
    359083,   // Elastic
    208661,   // RingBit
    89189,    // RingEntry
    1298400,  // Ring
    14950,    // BypassBit
    109492,   // TemporalPointBit
    0,        // TemporalSlotPoint
    71065,    // TagCompareBit
    0,        // TemporalPoint
    20092,    // PeChoiceBit
    21405,    // PeResultBit
    31846,    // PeOutputBit
    303240,   // PeUnit
    712957,   // Pe
    173749,   // QueueBit
    34015,    // LaneBit
    16011638, // Region
    39572031, // Master
    47426401, // Pad
    5542091,  // SliceWord
    0,        // Slice
    5022470,  // ErrorUnit
    3003741,  // ErrorNode
    312111,   // LoaderBit
    6914556,  // Loader
];

/// The arcs of each kind of component, in the order of the kinds.
pub(super) const DELAYS: [&[ArcRow]; 9] = [
    // Switch
    &[
        ("c>h", [524, 89, 12]),
        ("c>l", [581, 83, 0]),
        ("c>r", [222, 0, 226]),
        ("c>s", [114, 234, 173]),
        ("c>v", [331, 104, 25]),
        ("h>h", [13, 0, 125]),
        ("k>r", [199, 0, 314]),
        ("k>s", [94, 216, 280]),
        ("k>v", [294, 3, 31]),
        ("l>l", [-307, 5, 249]),
        ("r>r", [1, 0, 306]),
        ("r>s", [-98, 216, 268]),
        ("v>s", [-137, 350, 34]),
        ("v>v", [-306, 298, 47]),
    ],
    // ShortFifo
    &[
        ("h>s", [237, 18, 0]),
        ("k>h", [215, 1, 0]),
        ("k>l", [215, 1, 0]),
        ("k>r", [329, 93, 0]),
        ("k>s", [677, 80, 0]),
        ("k>v", [264, 2, 0]),
        ("l>s", [341, 0, 0]),
        ("r>s", [357, 57, 0]),
        ("v>s", [325, 0, 0]),
    ],
    // Ring
    &[
        ("h>s", [-36, 162, 0]),
        ("k>h", [129, 142, 100]),
        ("k>l", [267, 163, 61]),
        ("k>r", [373, 0, 3]),
        ("k>s", [893, 110, 56]),
        ("k>v", [841, 1, 0]),
        ("l>s", [6, 130, 9]),
        ("r>s", [432, 75, 13]),
        ("v>s", [526, 95, 75]),
    ],
    // Bypass
    &[
        ("c>h", [416, 0, 0]),
        ("c>l", [625, 0, 0]),
        ("c>r", [420, 0, 0]),
        ("c>s", [1193, 0, 0]),
        ("c>v", [455, 0, 0]),
        ("h>h", [303, 0, 0]),
        ("h>s", [409, 0, 0]),
        ("k>h", [1058, 0, 0]),
        ("k>l", [1064, 0, 0]),
        ("k>r", [368, 0, 0]),
        ("k>s", [1438, 0, 0]),
        ("k>v", [1081, 0, 0]),
        ("l>l", [303, 0, 0]),
        ("l>s", [405, 0, 0]),
        ("r>r", [176, 0, 0]),
        ("r>s", [715, 0, 0]),
        ("v>s", [1091, 0, 0]),
        ("v>v", [192, 0, 0]),
    ],
    // Pe
    &[
        ("c>h", [548, 0, 46]),
        ("c>l", [375, 343, 103]),
        ("c>r", [879, 116, 382]),
        ("c>v", [678, 81, 445]),
        ("h>h", [-84, 295, 0]),
        ("h>l", [-694, 239, 540]),
        ("l>h", [7, 0, 122]),
        ("l>l", [102, 175, 137]),
        ("l>r", [284, 124, 0]),
        ("l>v", [79, 138, 0]),
        ("r>r", [214, 79, 35]),
        ("v>r", [38, 56, 317]),
        ("v>v", [-238, 32, 442]),
    ],
    // BufferedPe
    &[
        ("c>r", [97, 0, 0]),
        ("c>s", [-957, 0, 0]),
        ("h>r", [396, 0, 0]),
        ("h>s", [314, 0, 0]),
        ("k>h", [217, 0, 0]),
        ("k>l", [217, 0, 0]),
        ("k>r", [254, 0, 0]),
        ("k>s", [160, 0, 0]),
        ("k>v", [192, 14, 9]),
        ("l>r", [97, 146, 90]),
        ("l>s", [348, 9, 6]),
        ("r>s", [-413, 0, 0]),
        ("v>r", [21, 170, 105]),
        ("v>s", [140, 110, 68]),
    ],
    // Memory
    &[
        ("c>r", [3420, 327, 459]),
        ("c>s", [6160, 0, 103]),
        ("h>r", [24, 611, 120]),
        ("h>s", [394, 613, 272]),
        ("k>h", [572, 58, 159]),
        ("k>l", [540, 118, 143]),
        ("k>r", [-1845, 2732, 318]),
        ("k>s", [121, 2338, 291]),
        ("k>v", [284, 167, 28]),
        ("l>r", [1694, 325, 589]),
        ("l>s", [4848, 0, 128]),
        ("r>s", [522, 125, 139]),
        ("v>r", [-2364, 2817, 320]),
        ("v>s", [-718, 2590, 245]),
    ],
    // TemporalSwitch
    &[
        ("c>h", [1795, 0, 0]),
        ("c>l", [1795, 0, 0]),
        ("c>r", [1727, 0, 0]),
        ("c>s", [1998, 0, 0]),
        ("c>v", [1453, 0, 0]),
        ("h>h", [201, 0, 0]),
        ("k>h", [1153, 0, 0]),
        ("k>l", [1153, 0, 0]),
        ("k>r", [1173, 0, 0]),
        ("k>s", [1440, 0, 0]),
        ("k>v", [802, 0, 0]),
        ("l>h", [1898, 0, 0]),
        ("l>l", [1898, 0, 0]),
        ("l>r", [1947, 0, 0]),
        ("l>s", [2219, 0, 0]),
        ("l>v", [1646, 0, 0]),
        ("r>r", [415, 0, 0]),
        ("r>s", [682, 0, 0]),
        ("v>h", [1041, 0, 0]),
        ("v>l", [1041, 0, 0]),
        ("v>r", [921, 0, 0]),
        ("v>s", [1192, 0, 0]),
        ("v>v", [699, 0, 0]),
    ],
    // MapTag
    &[
        ("c>l", [103, 320, 0]),
        ("c>r", [-207, 437, 0]),
        ("c>s", [4, 419, 0]),
        ("c>v", [-154, 410, 0]),
        ("h>h", [0, 0, 0]),
        ("k>r", [374, 0, 0]),
        ("k>s", [399, 46, 0]),
        ("l>l", [-3, 375, 0]),
        ("l>r", [-289, 477, 0]),
        ("l>s", [-72, 458, 0]),
        ("l>v", [-236, 451, 0]),
        ("r>r", [182, 4, 0]),
        ("v>s", [263, 36, 0]),
        ("v>v", [164, 0, 0]),
    ],
];

/// The units by op, and of each by width.
#[rustfmt::skip]
pub(super) const UNITS: &[UnitFigures] = &[
    UnitFigures { op: "arith.addf", width: 16, area_um2: 20864, arcs_ps: &[("h>h", 1474), ("h>l", 4519), ("l>h", 4757), ("l>l", 7801), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addf", width: 32, area_um2: 45071, arcs_ps: &[("h>h", 1812), ("h>l", 5390), ("l>h", 7065), ("l>l", 10643), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addi", width: 8, area_um2: 1405, arcs_ps: &[("h>h", 336), ("l>h", 1075), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addi", width: 32, area_um2: 5471, arcs_ps: &[("h>h", 338), ("l>h", 4390), ("l>l", 300), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.addi", width: 64, area_um2: 12492, arcs_ps: &[("h>h", 338), ("l>h", 6929), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.andi", width: 8, area_um2: 320, arcs_ps: &[("h>h", 158), ("l>l", 158), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.andi", width: 32, area_um2: 1088, arcs_ps: &[("h>h", 158), ("l>l", 158), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.andi", width: 64, area_um2: 2112, arcs_ps: &[("h>h", 158), ("l>l", 158), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.bitcast", width: 32, area_um2: 32, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.cmpf", width: 32, area_um2: 6717, arcs_ps: &[("c>l", 653), ("h>l", 856), ("l>l", 1676), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.cmpi", width: 8, area_um2: 1691, arcs_ps: &[("c>l", 538), ("h>l", 1122), ("l>l", 1037), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.cmpi", width: 32, area_um2: 4707, arcs_ps: &[("c>l", 538), ("h>l", 1389), ("l>l", 1146), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.divf", width: 32, area_um2: 68684, arcs_ps: &[("h>s", 364), ("k>h", 223), ("k>l", 218), ("k>r", 1627), ("k>s", 6714), ("k>v", 857), ("l>s", 905), ("r>r", 927), ("r>s", 1707), ("v>r", 741), ("v>s", 1521)] },
    UnitFigures { op: "arith.divsi", width: 8, area_um2: 10103, arcs_ps: &[("h>s", 607), ("k>h", 1180), ("k>l", 264), ("k>r", 1331), ("k>s", 1732), ("k>v", 996), ("l>s", 1084), ("r>r", 667), ("r>s", 1095), ("v>r", 675), ("v>s", 1103)] },
    UnitFigures { op: "arith.divsi", width: 32, area_um2: 38761, arcs_ps: &[("h>s", 949), ("k>h", 2898), ("k>l", 288), ("k>r", 1734), ("k>s", 2450), ("k>v", 1282), ("l>s", 2747), ("r>r", 777), ("r>s", 1206), ("v>r", 680), ("v>s", 1120)] },
    UnitFigures { op: "arith.divui", width: 8, area_um2: 7984, arcs_ps: &[("h>s", 310), ("k>h", 259), ("k>l", 235), ("k>r", 1489), ("k>s", 2117), ("k>v", 915), ("l>s", 311), ("r>r", 706), ("r>s", 1335), ("v>r", 713), ("v>s", 1334)] },
    UnitFigures { op: "arith.divui", width: 32, area_um2: 28900, arcs_ps: &[("h>s", 319), ("k>h", 274), ("k>l", 235), ("k>r", 1716), ("k>s", 2515), ("k>v", 1449), ("l>s", 305), ("r>r", 431), ("r>s", 1158), ("v>r", 599), ("v>s", 1185)] },
    UnitFigures { op: "arith.extf", width: 32, area_um2: 3392, arcs_ps: &[("h>h", 147), ("l>h", 382), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.extsi", width: 32, area_um2: 32, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.extui", width: 32, area_um2: 32, arcs_ps: &[("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.fptosi", width: 32, area_um2: 12948, arcs_ps: &[("h>h", 374), ("h>l", 558), ("l>h", 733), ("l>l", 831), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.fptoui", width: 32, area_um2: 8759, arcs_ps: &[("h>h", 590), ("h>l", 589), ("l>h", 1018), ("l>l", 1028), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.index_cast", width: 32, area_um2: 32, arcs_ps: &[("r>r", 158), ("v>r", 147)] },
    UnitFigures { op: "arith.maximumf", width: 32, area_um2: 7700, arcs_ps: &[("h>h", 839), ("h>l", 839), ("l>h", 1586), ("l>l", 1586), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.maxsi", width: 8, area_um2: 1110, arcs_ps: &[("h>h", 227), ("h>l", 683), ("l>l", 918), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.maxsi", width: 32, area_um2: 6384, arcs_ps: &[("h>h", 762), ("h>l", 1288), ("l>h", 638), ("l>l", 1284), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.minnumf", width: 32, area_um2: 8444, arcs_ps: &[("h>h", 860), ("h>l", 824), ("l>h", 1493), ("l>l", 1455), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.minui", width: 8, area_um2: 1404, arcs_ps: &[("h>h", 1058), ("h>l", 713), ("l>h", 950), ("l>l", 635), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.minui", width: 32, area_um2: 5773, arcs_ps: &[("h>h", 1150), ("h>l", 1437), ("l>h", 959), ("l>l", 1245), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.mulf", width: 16, area_um2: 46378, arcs_ps: &[("h>h", 250), ("l>h", 4581), ("l>l", 8024), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.mulf", width: 32, area_um2: 167581, arcs_ps: &[("h>h", 250), ("l>h", 7650), ("l>l", 13297), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.muli", width: 8, area_um2: 4898, arcs_ps: &[("h>h", 1341), ("l>h", 1827), ("l>l", 210), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.muli", width: 32, area_um2: 100607, arcs_ps: &[("h>h", 2337), ("l>h", 5074), ("l>l", 840), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.negf", width: 32, area_um2: 48, arcs_ps: &[("h>h", 129), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.ori", width: 8, area_um2: 320, arcs_ps: &[("h>h", 154), ("l>l", 154), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.ori", width: 32, area_um2: 1088, arcs_ps: &[("h>h", 154), ("l>l", 154), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.ori", width: 64, area_um2: 2112, arcs_ps: &[("h>h", 154), ("l>l", 154), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.remf", width: 32, area_um2: 61350, arcs_ps: &[("h>s", 299), ("k>h", 223), ("k>l", 219), ("k>r", 1951), ("k>s", 4572), ("k>v", 1008), ("l>s", 688), ("r>r", 841), ("r>s", 1464), ("v>r", 620), ("v>s", 1374)] },
    UnitFigures { op: "arith.remsi", width: 8, area_um2: 10143, arcs_ps: &[("h>s", 567), ("k>h", 1299), ("k>l", 315), ("k>r", 1697), ("k>s", 2103), ("k>v", 1019), ("l>s", 1010), ("r>r", 892), ("r>s", 1295), ("v>r", 898), ("v>s", 1301)] },
    UnitFigures { op: "arith.remsi", width: 32, area_um2: 39720, arcs_ps: &[("h>s", 834), ("k>h", 3072), ("k>l", 215), ("k>r", 1743), ("k>s", 2459), ("k>v", 1390), ("l>s", 2789), ("r>r", 762), ("r>s", 1199), ("v>r", 714), ("v>s", 1182)] },
    UnitFigures { op: "arith.remui", width: 8, area_um2: 7984, arcs_ps: &[("h>s", 310), ("k>h", 233), ("k>l", 330), ("k>r", 1489), ("k>s", 2117), ("k>v", 915), ("l>s", 311), ("r>r", 706), ("r>s", 1335), ("v>r", 713), ("v>s", 1334)] },
    UnitFigures { op: "arith.remui", width: 32, area_um2: 28900, arcs_ps: &[("h>s", 319), ("k>h", 233), ("k>l", 319), ("k>r", 1716), ("k>s", 2539), ("k>v", 1449), ("l>s", 305), ("r>r", 431), ("r>s", 1158), ("v>r", 599), ("v>s", 1185)] },
    UnitFigures { op: "arith.select", width: 8, area_um2: 620, arcs_ps: &[("h>h", 199), ("l>h", 397), ("l>l", 422), ("r>r", 348), ("v>r", 402), ("v>v", 242)] },
    UnitFigures { op: "arith.select", width: 32, area_um2: 2276, arcs_ps: &[("h>h", 199), ("l>h", 595), ("l>l", 595), ("r>r", 348), ("v>r", 402), ("v>v", 242)] },
    UnitFigures { op: "arith.select", width: 64, area_um2: 4460, arcs_ps: &[("h>h", 199), ("l>h", 582), ("l>l", 582), ("r>r", 348), ("v>r", 402), ("v>v", 242)] },
    UnitFigures { op: "arith.shli", width: 8, area_um2: 1417, arcs_ps: &[("h>h", 775), ("h>l", 606), ("l>h", 517), ("l>l", 475), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shli", width: 32, area_um2: 9218, arcs_ps: &[("h>h", 1503), ("h>l", 1115), ("l>h", 983), ("l>l", 879), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shli", width: 64, area_um2: 22929, arcs_ps: &[("h>h", 1589), ("h>l", 1507), ("l>h", 1311), ("l>l", 1186), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrsi", width: 8, area_um2: 2188, arcs_ps: &[("h>h", 0), ("h>l", 848), ("l>l", 602), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrsi", width: 32, area_um2: 11338, arcs_ps: &[("h>h", 0), ("h>l", 1521), ("l>l", 1413), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrui", width: 8, area_um2: 1348, arcs_ps: &[("h>h", 492), ("h>l", 721), ("l>h", 335), ("l>l", 465), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrui", width: 32, area_um2: 9330, arcs_ps: &[("h>h", 1073), ("h>l", 1381), ("l>h", 938), ("l>l", 1103), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.shrui", width: 64, area_um2: 27419, arcs_ps: &[("h>h", 1302), ("h>l", 1732), ("l>h", 1156), ("l>l", 1595), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.sitofp", width: 32, area_um2: 17723, arcs_ps: &[("h>h", 0), ("h>l", 2954), ("l>l", 4296), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.subf", width: 32, area_um2: 45850, arcs_ps: &[("h>h", 1792), ("h>l", 5562), ("l>h", 6855), ("l>l", 10626), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.subi", width: 8, area_um2: 1499, arcs_ps: &[("h>h", 336), ("l>h", 961), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.subi", width: 32, area_um2: 6469, arcs_ps: &[("h>h", 336), ("l>h", 3572), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.truncf", width: 32, area_um2: 13291, arcs_ps: &[("h>h", 147), ("l>h", 453), ("l>l", 3186), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.trunci", width: 32, area_um2: 32, arcs_ps: &[("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.uitofp", width: 32, area_um2: 13399, arcs_ps: &[("h>l", 2085), ("l>l", 1656), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "arith.xori", width: 8, area_um2: 512, arcs_ps: &[("h>h", 179), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "arith.xori", width: 32, area_um2: 1856, arcs_ps: &[("h>h", 179), ("l>l", 179), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "dataflow.carry", width: 8, area_um2: 1009, arcs_ps: &[("h>h", 190), ("k>h", 812), ("k>l", 812), ("k>r", 803), ("k>s", 544), ("k>v", 792), ("l>h", 557), ("l>l", 557), ("l>r", 547), ("l>s", 331), ("l>v", 545), ("r>r", 336), ("r>s", 368), ("r>v", 325), ("v>r", 347), ("v>s", 392), ("v>v", 336)] },
    UnitFigures { op: "dataflow.carry", width: 32, area_um2: 2697, arcs_ps: &[("h>h", 202), ("k>h", 584), ("k>l", 841), ("k>r", 751), ("k>s", 555), ("k>v", 694), ("l>h", 340), ("l>l", 612), ("l>r", 445), ("l>s", 331), ("l>v", 445), ("r>r", 336), ("r>s", 368), ("r>v", 325), ("v>r", 347), ("v>s", 393), ("v>v", 336)] },
    UnitFigures { op: "dataflow.gate", width: 8, area_um2: 425, arcs_ps: &[("h>h", 0), ("k>r", 662), ("k>s", 736), ("k>v", 795), ("l>l", 0), ("l>r", 396), ("l>s", 488), ("l>v", 597), ("r>r", 350), ("r>s", 461), ("r>v", 552), ("v>r", 337), ("v>s", 466), ("v>v", 540)] },
    UnitFigures { op: "dataflow.gate", width: 32, area_um2: 425, arcs_ps: &[("h>h", 0), ("k>r", 662), ("k>s", 736), ("k>v", 795), ("l>l", 0), ("l>r", 396), ("l>s", 488), ("l>v", 597), ("r>r", 350), ("r>s", 461), ("r>v", 552), ("v>r", 337), ("v>s", 466), ("v>v", 540)] },
    UnitFigures { op: "dataflow.invariant", width: 8, area_um2: 2361, arcs_ps: &[("h>h", 317), ("h>s", 340), ("k>h", 916), ("k>l", 916), ("k>r", 876), ("k>s", 982), ("k>v", 876), ("l>h", 678), ("l>l", 678), ("l>r", 633), ("l>s", 758), ("l>v", 633), ("r>r", 511), ("r>s", 682), ("r>v", 494), ("v>r", 680), ("v>s", 850), ("v>v", 692)] },
    UnitFigures { op: "dataflow.invariant", width: 32, area_um2: 7777, arcs_ps: &[("h>h", 176), ("h>s", 314), ("k>h", 720), ("k>l", 910), ("k>r", 1013), ("k>s", 1179), ("k>v", 1026), ("l>h", 462), ("l>l", 687), ("l>r", 776), ("l>s", 941), ("l>v", 788), ("r>r", 674), ("r>s", 866), ("r>v", 669), ("v>r", 858), ("v>s", 1032), ("v>v", 870)] },
    UnitFigures { op: "dataflow.stream *= unsigned", width: 32, area_um2: 246502, arcs_ps: &[("c>l", 1310), ("c>r", 2089), ("c>s", 5409), ("h>r", 1010), ("h>s", 1451), ("k>h", 293), ("k>l", 2423), ("k>r", 3201), ("k>s", 10490), ("k>v", 579), ("l>r", 952), ("l>s", 1394), ("r>r", 907), ("r>s", 1443), ("r>v", 329), ("v>r", 843), ("v>s", 1236)] },
    UnitFigures { op: "dataflow.stream +=", width: 32, area_um2: 27067, arcs_ps: &[("c>l", 482), ("c>r", 1342), ("c>s", 1714), ("h>r", 1173), ("h>s", 1545), ("k>h", 290), ("k>l", 1713), ("k>r", 2581), ("k>s", 5002), ("k>v", 549), ("l>r", 1131), ("l>s", 1503), ("r>r", 1365), ("r>s", 1699), ("r>v", 313), ("v>r", 1113), ("v>s", 1444)] },
    UnitFigures { op: "dataflow.stream += unsigned", width: 32, area_um2: 27283, arcs_ps: &[("c>l", 818), ("c>r", 1864), ("c>s", 2225), ("h>r", 1137), ("h>s", 1510), ("k>h", 304), ("k>l", 1546), ("k>r", 2605), ("k>s", 4968), ("k>v", 579), ("l>r", 1137), ("l>s", 1509), ("r>r", 1175), ("r>s", 1567), ("r>v", 329), ("v>r", 1110), ("v>s", 1445)] },
    UnitFigures { op: "dataflow.stream -= unsigned", width: 32, area_um2: 29797, arcs_ps: &[("c>l", 868), ("c>r", 1946), ("c>s", 2318), ("h>r", 1121), ("h>s", 1493), ("k>h", 302), ("k>l", 1751), ("k>r", 2822), ("k>s", 4002), ("k>v", 619), ("l>r", 1148), ("l>s", 1520), ("r>r", 1225), ("r>s", 1552), ("r>v", 370), ("v>r", 1124), ("v>s", 1450)] },
    UnitFigures { op: "dataflow.stream /= unsigned", width: 32, area_um2: 54411, arcs_ps: &[("c>l", 737), ("c>r", 1528), ("c>s", 4697), ("h>r", 1013), ("h>s", 1470), ("k>h", 303), ("k>l", 1822), ("k>r", 2613), ("k>s", 6164), ("k>v", 892), ("l>r", 851), ("l>s", 1308), ("r>r", 1222), ("r>s", 1656), ("r>v", 327), ("v>r", 843), ("v>s", 1276)] },
    UnitFigures { op: "dataflow.stream <<= unsigned", width: 32, area_um2: 47889, arcs_ps: &[("c>l", 866), ("c>r", 1947), ("c>s", 2198), ("h>r", 1499), ("h>s", 1731), ("k>h", 273), ("k>l", 1660), ("k>r", 2741), ("k>s", 3395), ("k>v", 716), ("l>r", 1345), ("l>s", 1598), ("r>r", 1737), ("r>s", 2021), ("r>v", 477), ("v>r", 1317), ("v>s", 1601)] },
    UnitFigures { op: "dataflow.stream >>= unsigned", width: 32, area_um2: 33607, arcs_ps: &[("c>l", 610), ("c>r", 1368), ("c>s", 1788), ("h>r", 1116), ("h>s", 1544), ("k>h", 269), ("k>l", 1354), ("k>r", 2123), ("k>s", 2551), ("k>v", 579), ("l>r", 1074), ("l>s", 1502), ("r>r", 875), ("r>s", 1394), ("r>v", 329), ("v>r", 790), ("v>s", 1210)] },
    UnitFigures { op: "handshake.cond_br", width: 8, area_um2: 216, arcs_ps: &[("h>h", 0), ("l>l", 0), ("l>r", 358), ("l>v", 224), ("r>r", 267), ("v>r", 368), ("v>v", 235)] },
    UnitFigures { op: "handshake.cond_br", width: 32, area_um2: 216, arcs_ps: &[("h>h", 0), ("l>l", 0), ("l>r", 358), ("l>v", 224), ("r>r", 267), ("v>r", 368), ("v>v", 235)] },
    UnitFigures { op: "handshake.cond_br", width: 64, area_um2: 216, arcs_ps: &[("h>h", 0), ("l>l", 0), ("l>r", 358), ("l>v", 224), ("r>r", 267), ("v>r", 368), ("v>v", 235)] },
    UnitFigures { op: "handshake.constant", width: 8, area_um2: 32, arcs_ps: &[("c>h", 0), ("c>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "handshake.constant", width: 32, area_um2: 32, arcs_ps: &[("c>h", 0), ("c>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "handshake.constant", width: 64, area_um2: 32, arcs_ps: &[("c>h", 0), ("c>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "handshake.join", width: 32, area_um2: 248, arcs_ps: &[("c>r", 452), ("c>v", 444), ("r>r", 262), ("v>r", 331), ("v>v", 322)] },
    UnitFigures { op: "handshake.load", width: 32, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "handshake.load", width: 64, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "handshake.mux", width: 8, area_um2: 776, arcs_ps: &[("h>h", 199), ("l>h", 396), ("l>l", 434), ("l>r", 528), ("l>v", 288), ("r>r", 445), ("v>r", 503), ("v>v", 263)] },
    UnitFigures { op: "handshake.mux", width: 32, area_um2: 2432, arcs_ps: &[("h>h", 199), ("l>h", 382), ("l>l", 610), ("l>r", 728), ("l>v", 487), ("r>r", 445), ("v>r", 503), ("v>v", 263)] },
    UnitFigures { op: "handshake.mux", width: 64, area_um2: 4640, arcs_ps: &[("h>h", 199), ("l>h", 698), ("l>l", 720), ("l>r", 840), ("l>v", 600), ("r>r", 445), ("v>r", 503), ("v>v", 263)] },
    UnitFigures { op: "handshake.store", width: 32, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "handshake.store", width: 64, area_um2: 96, arcs_ps: &[("h>h", 0), ("l>l", 0), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "llvm.intr.bitreverse", width: 8, area_um2: 32, arcs_ps: &[("h>l", 0), ("l>h", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "llvm.intr.bitreverse", width: 32, area_um2: 32, arcs_ps: &[("h>l", 0), ("l>h", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "loom.carry_br", width: 8, area_um2: 1063, arcs_ps: &[("h>h", 285), ("k>h", 924), ("k>l", 935), ("k>r", 856), ("k>s", 887), ("k>v", 744), ("l>l", 287), ("l>r", 511), ("l>s", 494), ("l>v", 349), ("r>r", 473), ("r>s", 457), ("r>v", 340), ("v>r", 593), ("v>s", 599), ("v>v", 468)] },
    UnitFigures { op: "loom.carry_br", width: 32, area_um2: 2719, arcs_ps: &[("h>h", 285), ("k>h", 806), ("k>l", 813), ("k>r", 975), ("k>s", 1002), ("k>v", 859), ("l>l", 287), ("l>r", 511), ("l>s", 494), ("l>v", 349), ("r>r", 473), ("r>s", 457), ("r>v", 340), ("v>r", 593), ("v>s", 599), ("v>v", 468)] },
    UnitFigures { op: "loom.invariant_br", width: 8, area_um2: 2126, arcs_ps: &[("h>h", 323), ("h>s", 344), ("k>h", 937), ("k>l", 937), ("k>r", 912), ("k>s", 1017), ("k>v", 743), ("l>l", 323), ("l>r", 377), ("l>s", 462), ("l>v", 221), ("r>r", 430), ("r>s", 515), ("r>v", 261), ("v>r", 669), ("v>s", 757), ("v>v", 311)] },
    UnitFigures { op: "loom.invariant_br", width: 32, area_um2: 7382, arcs_ps: &[("h>h", 323), ("h>s", 348), ("k>h", 856), ("k>l", 1143), ("k>r", 1105), ("k>s", 1190), ("k>v", 936), ("l>l", 323), ("l>r", 377), ("l>s", 462), ("l>v", 221), ("r>r", 430), ("r>s", 515), ("r>v", 261), ("v>r", 749), ("v>s", 875), ("v>v", 312)] },
    UnitFigures { op: "math.absf", width: 32, area_um2: 32, arcs_ps: &[("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.absi", width: 8, area_um2: 745, arcs_ps: &[("h>h", 370), ("l>h", 495), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.absi", width: 32, area_um2: 3698, arcs_ps: &[("h>h", 568), ("l>h", 2303), ("l>l", 0), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.atan", width: 16, area_um2: 172682, arcs_ps: &[("h>h", 147), ("l>h", 1420), ("l>l", 25473), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.atan", width: 32, area_um2: 579820, arcs_ps: &[("h>h", 147), ("l>h", 1037), ("l>l", 32823), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.atan2", width: 16, area_um2: 224870, arcs_ps: &[("h>h", 147), ("h>l", 11293), ("l>h", 2148), ("l>l", 34445), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "math.atan2", width: 32, area_um2: 784972, arcs_ps: &[("h>h", 147), ("h>l", 15413), ("l>h", 2749), ("l>l", 52332), ("r>r", 188), ("v>r", 361), ("v>v", 168)] },
    UnitFigures { op: "math.cbrt", width: 16, area_um2: 53233, arcs_ps: &[("h>h", 147), ("l>h", 492), ("l>l", 10505), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cbrt", width: 32, area_um2: 208875, arcs_ps: &[("h>h", 147), ("l>h", 531), ("l>l", 15191), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cos", width: 16, area_um2: 236388, arcs_ps: &[("l>h", 8465), ("l>l", 24309), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cos", width: 32, area_um2: 813806, arcs_ps: &[("l>h", 13157), ("l>l", 32644), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctlz", width: 8, area_um2: 491, arcs_ps: &[("h>l", 326), ("l>l", 216), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctlz", width: 32, area_um2: 2267, arcs_ps: &[("h>l", 674), ("l>l", 353), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctpop", width: 8, area_um2: 1099, arcs_ps: &[("h>l", 373), ("l>l", 1330), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.ctpop", width: 32, area_um2: 5089, arcs_ps: &[("h>l", 1272), ("l>l", 2339), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cttz", width: 8, area_um2: 491, arcs_ps: &[("h>l", 216), ("l>l", 326), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.cttz", width: 32, area_um2: 2267, arcs_ps: &[("h>l", 353), ("l>l", 674), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.erf", width: 16, area_um2: 105732, arcs_ps: &[("h>h", 147), ("l>h", 1065), ("l>l", 16207), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.erf", width: 32, area_um2: 515112, arcs_ps: &[("h>h", 147), ("l>h", 1724), ("l>l", 26542), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp", width: 16, area_um2: 110931, arcs_ps: &[("h>l", 14941), ("l>l", 19985), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp", width: 32, area_um2: 315321, arcs_ps: &[("h>l", 22005), ("l>l", 29488), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp2", width: 16, area_um2: 81417, arcs_ps: &[("h>l", 13851), ("l>l", 13983), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.exp2", width: 32, area_um2: 230164, arcs_ps: &[("h>l", 21033), ("l>l", 21419), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.floor", width: 32, area_um2: 15983, arcs_ps: &[("h>h", 186), ("l>h", 771), ("l>l", 782), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log", width: 16, area_um2: 97676, arcs_ps: &[("h>h", 333), ("h>l", 631), ("l>h", 3217), ("l>l", 19580), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log", width: 32, area_um2: 392001, arcs_ps: &[("h>h", 286), ("h>l", 633), ("l>h", 4532), ("l>l", 25759), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log10", width: 16, area_um2: 107288, arcs_ps: &[("h>h", 326), ("h>l", 563), ("l>h", 3255), ("l>l", 18224), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log10", width: 32, area_um2: 407100, arcs_ps: &[("h>h", 359), ("h>l", 664), ("l>h", 5679), ("l>l", 25831), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log2", width: 16, area_um2: 92698, arcs_ps: &[("h>h", 303), ("h>l", 682), ("l>h", 3077), ("l>l", 18847), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.log2", width: 32, area_um2: 367236, arcs_ps: &[("h>h", 263), ("h>l", 693), ("l>h", 5320), ("l>l", 28852), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.round", width: 32, area_um2: 14309, arcs_ps: &[("h>h", 186), ("l>h", 919), ("l>l", 921), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.rsqrt", width: 32, area_um2: 73993, arcs_ps: &[("h>s", 331), ("k>h", 223), ("k>l", 218), ("k>r", 1924), ("k>s", 10792), ("k>v", 932), ("l>s", 718), ("r>r", 1203), ("r>s", 1523), ("v>r", 1059), ("v>s", 1374)] },
    UnitFigures { op: "math.sin", width: 16, area_um2: 244058, arcs_ps: &[("h>h", 208), ("l>h", 6812), ("l>l", 24442), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.sin", width: 32, area_um2: 807790, arcs_ps: &[("h>h", 208), ("l>h", 10615), ("l>l", 32885), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.sqrt", width: 32, area_um2: 47602, arcs_ps: &[("h>s", 339), ("k>h", 223), ("k>l", 219), ("k>r", 1786), ("k>s", 4038), ("k>v", 886), ("l>s", 720), ("r>r", 1133), ("r>s", 1594), ("v>r", 986), ("v>s", 1446)] },
    UnitFigures { op: "math.tan", width: 16, area_um2: 335022, arcs_ps: &[("h>h", 294), ("l>h", 7290), ("l>l", 28504), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.tan", width: 32, area_um2: 1145000, arcs_ps: &[("h>h", 210), ("l>h", 9768), ("l>l", 37914), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.tanh", width: 16, area_um2: 107244, arcs_ps: &[("h>h", 147), ("l>h", 856), ("l>l", 15962), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
    UnitFigures { op: "math.tanh", width: 32, area_um2: 525421, arcs_ps: &[("h>h", 147), ("l>h", 1544), ("l>l", 27202), ("r>r", 158), ("v>r", 147), ("v>v", 0)] },
];
